// Sheets for a round. They are fetched by script, as a link could neither send a token nor show errors.

import { at, noticeIn } from "./notice.js";
import { send } from "./service.js";

// `chosen` returns the settings.
export function start(chosen) {
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
      const { method, effort, scheme } = chosen();
      const settings = { method, effort, ...(scheme && { scheme }) };
      const path = `print?${new URLSearchParams({ ...Object.fromEntries(new FormData(form)), ...settings })}`;
      const response = await send(path, {}, notice, signal);
      notice.say("Receiving the sheets …");
      link.href = URL.createObjectURL(await response.blob());
      link.hidden = false;
      notice.say("The sheets are ready.");
      // Some seconds after the click browsers may block this. The link still works.
      open(link.href);
    } catch (error) {
      if (!signal.aborted) notice.fail(error);
    }
  });
}
