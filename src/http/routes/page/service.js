// Asking the service: with its token, at its pace, and with its own words for what is wrong.

// Kept for as long as the tab is open.
const TOKEN = "scramble444 token";

// What is wrong if there is no answer at all, and the seconds until it is tried again.
const SILENCE = { title: "No answer", detail: "the service cannot be reached" };
const PATIENCE = 5;

// Milliseconds after which the page says that it waits for an answer.
const UNNOTICED = 1000;

// The service does not do what it is asked to, and says why.
export class Refused extends Error {
  constructor({ detail, flaw }) {
    super(detail);
    this.flaw = flaw;
  }
}

const second = (signal) =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, 1000);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

// A place that tells what is going on with a request, and asks for the token.
export function noticeIn(place) {
  place.append(document.getElementById("notice-template").content.cloneNode(true));
  const [status, details] = place.querySelectorAll("span");
  const progress = place.querySelector("progress");
  const form = place.querySelector("form");

  function say(text, isError = false) {
    // What changes is read out, so what stays the same is left alone.
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("error", isError);
    details.textContent = "";
    progress.hidden = form.hidden = true;
  }

  // Says why to wait, and counts the seconds down where nothing is read out.
  async function wait(problem, seconds, signal) {
    say(`${problem.title}:`);
    progress.hidden = !problem.progress;
    progress.value = problem.progress?.done ?? 0;
    for (let left = seconds; left > 0; left--) {
      details.textContent = `${problem.detail}. Trying again in ${left} s.`;
      await second(signal);
    }
  }

  // Resolves to a token that somebody types.
  function token(text, signal) {
    say(text);
    form.hidden = false;
    const [field] = form.elements;
    field.value = "";
    field.focus();
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      form.onsubmit = (event) => {
        event.preventDefault();
        // Not lost with the field: the focus goes to the button that asked.
        place.parentElement.querySelector("button.main").focus();
        say("");
        resolve(field.value);
      };
    });
  }

  // Says why there is no answer, or no more of it.
  function fail(error, broken = "The answer broke off.") {
    say(error instanceof Refused ? error.message : broken, true);
  }

  return { say, wait, token, fail };
}

// What is wrong, in the service's words; a proxy before it may have none.
async function problemOf(answer) {
  const unknown = { title: "Error", detail: `${answer.status} ${answer.statusText}` };
  return answer.json().catch(() => unknown);
}

// Sends a request until the service answers it or refuses it.
export async function ask(path, options, notice, signal) {
  notice.say("");
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const shown = token ? { Authorization: `Bearer ${token}` } : {};
    const waiting = setTimeout(() => notice.say("Waiting for the service …"), UNNOTICED);
    const asked = fetch(path, { ...options, headers: { ...options.headers, ...shown }, signal });
    let answer;
    try {
      answer = await asked.finally(() => clearTimeout(waiting));
    } catch (error) {
      if (signal.aborted) throw error;
      await notice.wait(SILENCE, PATIENCE, signal);
      continue;
    }
    if (answer.ok) return answer;
    const problem = await problemOf(answer);
    const pause = Number(answer.headers.get("Retry-After"));
    if (answer.status === 401) {
      sessionStorage.removeItem(TOKEN);
      const text = token ? "The service does not take this token." : "The service asks for a token.";
      sessionStorage.setItem(TOKEN, await notice.token(text, signal));
    } else if (pause > 0) {
      await notice.wait(problem, pause, signal);
    } else {
      throw new Refused(problem);
    }
  }
}

// The JSON documents of an answer that has one a line, each as soon as it is there.
export async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const complete = (rest + value).split("\n");
    rest = complete.pop();
    for (const line of complete) {
      const document = JSON.parse(line);
      // If something fails on the way, the last line is a problem document.
      if (document.detail) throw new Refused(document);
      yield document;
    }
  }
}
