// Sheets for a round. A link could neither send a token nor show errors.

import { at, noticeIn } from "./notice.js";
import { send } from "./service.js";

// The competition with the scrambles to make: the rounds before get none.
function competitionOf({ competition, event, round, sets }, scheme) {
  const rounds = Array.from({ length: round }, (_, index) => ({
    id: `${event}-r${index + 1}`,
    format: event === "444bf" ? "3" : "a",
    scrambleSetCount: index + 1 < round ? 0 : Number(sets),
  }));
  const colors = scheme && scheme.split(",").map((color, index) => ["BDFLRU"[index], `#${color}`]);
  const data = colors && { colorScheme: Object.fromEntries(colors) };
  const extensions = data ? [{ id: "org.worldcubeassociation.tnoodle.ColorScheme", data }] : [];
  return { formatVersion: "1.0", name: competition, events: [{ id: event, rounds, extensions }] };
}

export function start(chosen) {
  const form = at("sheets").querySelector("form");
  const notice = noticeIn(at("sheets-notice"));
  const links = [at("sheets-link"), at("scrambles-link")];
  let running = new AbortController();
  let isSaved = true;
  links[1].onclick = () => (isSaved = true);
  addEventListener("beforeunload", (event) => isSaved || event.preventDefault());

  function offer(link, blob) {
    link.href = URL.createObjectURL(blob);
    link.hidden = false;
  }

  const post = (path, query, body, signal) => {
    const headers = { "Content-Type": "application/json" };
    return send(`${path}?${new URLSearchParams(query)}`, { method: "POST", headers, body }, notice, signal);
  };

  // Prints the scrambles that `load` returns, new ones or those of the file `name`.
  async function print(load, name) {
    if (!isSaved && !confirm("The scrambles of the last sheets are not saved. Discard them?")) return;
    running.abort();
    const { signal } = (running = new AbortController());
    for (const link of links) {
      link.hidden = true;
      URL.revokeObjectURL(link.href);
    }
    try {
      const { competition, event, round, sets, extras, ...layout } = Object.fromEntries(new FormData(form));
      const scrambles = await load({ competition, event, round, sets, extras }, signal);
      const response = await post("print", layout, scrambles, signal);
      notice.say("Receiving the sheets …");
      const sheets = await response.blob();
      offer(links[1], new Blob([scrambles], { type: "application/json" }));
      links[1].download = name ?? `${competition} ${event}-r${round}.json`;
      isSaved = Boolean(name);
      offer(links[0], sheets);
      notice.say(`The sheets are ready. Save the scrambles to print them again. ${response.headers?.get("x-notes") ?? ""}`);
      // Browsers may block this.
      open(links[0].href);
    } catch (error) {
      if (!signal.aborted) notice.fail(error);
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    print(async (fields, signal) => {
      const { method, effort, scheme } = chosen();
      const query = { extras: fields.extras, method, effort };
      const response = await post("v1/wcif", query, JSON.stringify(competitionOf(fields, scheme)), signal);
      return response.text();
    });
  });
  at("saved").addEventListener("change", ({ target }) => {
    const [file] = target.files;
    target.value = "";
    print(() => file.text(), file.name);
  });
}
