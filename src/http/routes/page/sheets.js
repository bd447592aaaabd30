// Sheets for a round. They are fetched, as an address has no place for a token and a tab none for errors.

import { ask, noticeIn } from "./service.js";

const at = (id) => document.getElementById(id);

// Makes the form work.
export function start() {
  const form = at("sheets").querySelector("form");
  const notice = noticeIn(at("sheets-notice"));
  const link = at("sheets-link");
  let running = new AbortController();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    running.abort();
    const { signal } = (running = new AbortController());
    link.hidden = true;
    URL.revokeObjectURL(link.href);
    try {
      const path = `print?${new URLSearchParams(new FormData(form))}`;
      const answer = await ask(path, {}, notice, signal);
      notice.say("Receiving the sheets …");
      link.href = URL.createObjectURL(await answer.blob());
      link.hidden = false;
      notice.say("The sheets are ready.");
      // Browsers may refuse this some seconds after the click; then there is the link.
      open(link.href);
    } catch (error) {
      if (!signal.aborted) notice.fail(error);
    }
  });
}
