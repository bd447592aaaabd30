// Requests to the service: with a token if required, with retries, and with its error messages.

import { keep, recall } from "./memory.js";
import { Refused } from "./notice.js";

// The key under which the token is kept while the tab is open.
const TOKEN = "scramble444 token";

// The problem if there is no response, and the seconds until the next try.
const UNREACHABLE = { title: "No response", detail: "the service cannot be reached" };
const RETRY_SECONDS = 5;

// Milliseconds until the page says that it waits for a response.
const WAITING_DELAY = 1000;

// The problem document of a response; a proxy may send something else.
async function problemOf(response) {
  const unknown = { title: "Error", detail: `${response.status} ${response.statusText}` };
  return response.json().catch(() => unknown);
}

// Sends a request until it succeeds or the service refuses it.
export async function send(path, options, notice, signal) {
  notice.say("");
  for (;;) {
    const token = recall("sessionStorage", TOKEN);
    const authorization = token ? { Authorization: `Bearer ${token}` } : {};
    const headers = { ...options.headers, ...authorization };
    const waiting = setTimeout(() => notice.say("Waiting for the service …"), WAITING_DELAY);
    let response;
    try {
      response = await fetch(path, { ...options, headers, signal }).finally(() => clearTimeout(waiting));
    } catch (error) {
      if (signal.aborted) throw error;
      await notice.wait(UNREACHABLE, RETRY_SECONDS, signal);
      continue;
    }
    if (response.ok) return response;
    const problem = await problemOf(response);
    const pause = Number(response.headers.get("Retry-After"));
    if (response.status === 401) {
      keep("sessionStorage", TOKEN, null);
      const text = token ? "The service does not accept this token." : "The service requires a token.";
      keep("sessionStorage", TOKEN, await notice.token(text, signal));
    } else if (pause > 0) {
      await notice.wait(problem, pause, signal);
    } else if (response.status === 413) {
      throw new Refused({ detail: "The text is too long; about 16,000 characters are allowed." });
    } else {
      throw new Refused(problem);
    }
  }
}

// The JSON documents of a response that has one per line, each as soon as it arrives.
export async function* lines(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const complete = (rest + value).split("\n");
    rest = complete.pop();
    for (const line of complete) {
      const document = JSON.parse(line);
      // After an error the last line is a problem document.
      if (document.detail) throw new Refused(document);
      yield document;
    }
  }
}
