// Scrambles: what is chosen, the list that fills as they come, and the one that is shown large.

import { columns, picture } from "./cube.js";
import { start as startPosition } from "./position.js";
import { ask, lines, noticeIn } from "./service.js";
import { start as startSheets } from "./sheets.js";

const at = (id) => document.getElementById(id);
const notice = noticeIn(at("notice"));

// What is chosen. It stands in the address, so that it can be shared, and gone back to.

const choices = at("choices");
const controls = [...choices.elements].filter((control) => control.name);
const isSwitch = (control) => control.type === "checkbox";
const valueOf = (control) => (isSwitch(control) ? String(Number(control.checked)) : control.value);
const isSaid = (control) => !control.disabled && control.value !== "all";
const chosen = () => Object.fromEntries(controls.filter(isSaid).map((control) => [control.name, valueOf(control)]));

// Blindfolded scrambles lead to all states. A line below says what the choice in a list means.
function showChoices() {
  const { event, subset } = choices.elements;
  subset.disabled = event.value === "444bf";
  if (subset.disabled) subset.value = "all";
  for (const list of document.querySelectorAll("select[aria-describedby]")) {
    at(list.getAttribute("aria-describedby")).textContent = list.selectedOptions[0]?.title;
  }
}
// Before other listeners, as they take what is chosen.
document.addEventListener("change", showChoices, true);

// Chooses what the address says. If not all of it can be chosen, the browser tells why.
function takeFromAddress() {
  choices.reset();
  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = controls.find((control) => control.name === name);
    if (control && isSwitch(control)) control.checked = value === "1";
    else if (control) control.value = value;
  }
  showChoices();
  return choices.reportValidity();
}

// What there is: scrambles as the service gives them, and how they were chosen.

let made = { of: {}, scrambles: [] };
let current = 0;
// Whether the next one to come is to be shown large.
let isAwaited = false;
let running;

const textOf = (number) => made.scrambles[number].scramble;

function draw(place, number) {
  const { pictures, letters } = chosen();
  place.replaceChildren(columns(textOf(number)));
  if (pictures === "0") return;
  place.append(picture(made.scrambles[number].state, `Picture of scramble ${number + 1}`, letters === "1"));
}

function addToList(number) {
  const item = at("item-template").content.cloneNode(true);
  const [show, copy] = item.querySelectorAll("button");
  show.textContent = number + 1;
  show.ariaLabel = `Show scramble ${number + 1}`;
  show.addEventListener("click", () => showLarge(number));
  copy.ariaLabel = `Copy scramble ${number + 1}`;
  copy.addEventListener("click", () => copyOne(number));
  draw(item.querySelector(".cube"), number);
  at("list").append(item);
}

function tellHowMany() {
  const { of, scrambles } = made;
  at("one-title").textContent = `Scramble ${current + 1} of ${scrambles.length}, ${scrambles[current].moves} moves`;
  const event = of.subset ? `${of.event} (${of.subset})` : of.event;
  at("all-title").textContent = `All of ${event}, ${of.method}, effort ${of.effort}`;
}

function showLarge(number) {
  const { children } = at("list");
  children[current]?.removeAttribute("aria-current");
  children[number].setAttribute("aria-current", "true");
  current = number;
  enable("previous", number > 0);
  draw(at("large"), number);
  tellHowMany();
}

// Buttons that cannot be used now keep the focus.
const enable = (id, isEnabled) => at(id).setAttribute("aria-disabled", !isEnabled);

function emptyList() {
  const hadFocus = at("list").contains(document.activeElement);
  at("list").replaceChildren();
  if (hadFocus) at("one").focus();
}

function drawAll() {
  emptyList();
  made.scrambles.forEach((_, number) => addToList(number));
  if (made.scrambles.length) showLarge(current);
}

function take(scramble) {
  const number = made.scrambles.push(scramble) - 1;
  at("one").hidden = at("all").hidden = false;
  addToList(number);
  if (isAwaited) showLarge(number);
  else tellHowMany();
  isAwaited = false;
}

// Asks for scrambles as they are chosen: for more of the same, or instead of those that there are.
async function getScrambles(more) {
  running?.abort();
  const request = (running = new AbortController());
  const { count, pictures, letters, ...of } = chosen();
  let begins = !more || JSON.stringify(of) !== JSON.stringify(made.of);
  const path = `v1/scrambles?${new URLSearchParams({ ...of, count })}`;
  const options = { headers: { Accept: "application/x-ndjson" } };
  let come = 0;
  const soFar = () => `${come} of ${count} scrambles.`;
  enable("stop", true);
  try {
    const answer = await ask(path, options, notice, request.signal);
    notice.say("Scrambling …");
    isAwaited = true;
    for await (const scramble of lines(answer)) {
      if (begins) {
        made = { of, scrambles: [] };
        emptyList();
        begins = false;
      }
      take(scramble);
      come += 1;
    }
    notice.say(soFar());
  } catch (error) {
    // Another request has taken its place.
    if (running !== request) return;
    if (request.signal.aborted) notice.say(`Stopped: ${soFar()}`);
    else notice.fail(error, `The answer broke off: ${soFar()}`);
  }
  running = undefined;
  enable("stop", false);
}

function next() {
  if (current + 1 < made.scrambles.length) showLarge(current + 1);
  else if (running) isAwaited = true;
  else getScrambles(true);
}

// Taking scrambles elsewhere: one a line, as csTimer and others read them, or as JSON.

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that is not from this machine and came without TLS has only the old way.
    const focused = document.activeElement;
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    focused.focus();
    if (!isDone) return notice.say("The browser does not let this page copy.", true);
  }
  notice.say(`Copied ${what}.`);
}

function save(name, media, text) {
  const link = document.createElement("a");
  link.download = name;
  link.href = `data:${media};charset=utf-8,${encodeURIComponent(text)}`;
  link.click();
}

const copyOne = (number) => copy(textOf(number), `scramble ${number + 1}`);
const asText = () => made.scrambles.map(({ scramble }) => `${scramble}\n`).join("");
const asJson = () => JSON.stringify({ ...made.of, effort: Number(made.of.effort), scrambles: made.scrambles }, null, 2);

// What buttons and keys do.

const onClick = {
  previous: () => showLarge(current - 1),
  next,
  copy: () => copyOne(current),
  "copy-all": () => copy(asText(), "all"),
  "save-text": () => save("scrambles.txt", "text/plain", asText()),
  "save-json": () => save("scrambles.json", "application/json", asJson()),
  print: () => print(),
  stop: () => running.abort(),
  "help-button": () => at("help").showModal(),
};
for (const [id, act] of Object.entries(onClick)) {
  at(id).addEventListener("click", () => at(id).ariaDisabled === "true" || act());
}

// Whether keys are used is remembered: where people speak to their computer, words would press them.
const KEYS = "scramble444 keys";
const keys = at("keys");
keys.checked = localStorage.getItem(KEYS) !== "off";
keys.addEventListener("change", () => {
  if (keys.checked) localStorage.removeItem(KEYS);
  else localStorage.setItem(KEYS, "off");
});

const onKey = { " ": "next", n: "next", c: "copy", p: "print", "?": "help-button" };
document.addEventListener("keydown", (event) => {
  const button = keys.checked && at(onKey[event.key]);
  // The space bar presses a button that has the focus.
  const takers = `dialog, input, select, textarea${event.key === " " ? ", button, a, summary" : ""}`;
  if (!button || !button.checkVisibility() || event.target.closest(takers)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  event.preventDefault();
  button.click();
});

choices.addEventListener("submit", (event) => {
  event.preventDefault();
  getScrambles(false);
  // From here the space bar leads on.
  at("one").focus();
});
choices.addEventListener("change", (event) => {
  if (choices.checkValidity()) history.pushState(null, "", `?${new URLSearchParams(chosen())}`);
  if (isSwitch(event.target)) drawAll();
});
addEventListener("popstate", () => {
  takeFromAddress();
  drawAll();
});
document.querySelector("main").hidden = false;
startPosition(chosen);
startSheets();
if (takeFromAddress()) getScrambles(false);
