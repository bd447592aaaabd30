// The status of a request, which the page shows.

export const at = (id) => document.getElementById(id);

// The backend refuses a request.
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

// Shows the status of a request, and asks for a token.
export function noticeIn(place) {
  place.append(at("notice-template").content.cloneNode(true));
  const [status, details] = place.querySelectorAll("span");
  const progress = place.querySelector("progress");
  const form = place.querySelector("form");

  function say(text, isError = false) {
    // Screen readers read every assignment, so avoid those that change nothing.
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("error", isError);
    details.textContent = "";
    progress.hidden = form.hidden = true;
  }

  function show(part) {
    progress.hidden = false;
    progress.value = part;
  }

  // Shows a problem and counts down, in an element that screen readers do not announce.
  async function wait(problem, seconds, signal) {
    say(`${problem.title}: ${problem.detail}.`);
    if (problem.progress) show(problem.progress.done);
    for (let left = seconds; left > 0; left--) {
      details.textContent = `Trying again in ${left} s.`;
      await second(signal);
    }
  }

  // Resolves to the token that the user types.
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
        // The field disappears, so the focus goes back to the button that sent the request.
        place.parentElement.querySelector("button.main").focus();
        say("");
        resolve(field.value);
      };
    });
  }

  // Shows an error: the backend's message, or `message` if the response is incomplete.
  function fail(error, message = "The response is incomplete.") {
    say(error instanceof Refused ? error.message : message, true);
  }

  return { say, show, wait, token, fail };
}
