// Scrambles: the form, the list, and the current scramble in large.

import { applyColors, offer } from "./colors.js";
import { columns, picture } from "./cube.js";
import { keep, recall } from "./memory.js";
import { at, noticeIn } from "./notice.js";
import { nameColors, start as startPosition } from "./position.js";
import { lines, send } from "./service.js";
import { start as startSheets } from "./sheets.js";

const notice = noticeIn(at("notice"));

// The choices, also in the address, and kept.

const CHOICES = "scramble444 settings";
// How scrambles look. An address without these does not change what is kept.
const LOOKS = ["top", "scheme", "pictures", "letters"];
const DEFAULTS = ["all", "white", "usual"];

const choices = at("choices");
const controls = [...choices.elements].filter((control) => control.name);
const isCheckbox = (control) => control.type === "checkbox";
const valueOf = (control) => (isCheckbox(control) ? String(Number(control.checked)) : control.value);
const isParameter = (control) => !control.disabled && !DEFAULTS.includes(control.value);
const chosen = () =>
  Object.fromEntries(controls.filter(isParameter).map((control) => [control.name, valueOf(control)]));
// The choices that decide which scrambles are made.
const ofScrambles = ({ count, pictures, letters, scheme, top, ...parameters }) => parameters;
const isChosen = (it) => JSON.stringify(ofScrambles(chosen())) === JSON.stringify(it?.parameters);

// Adapts the form to the options that are selected.
function updateChoices() {
  const { event, subset, top, effort, method } = choices.elements;
  subset.disabled = event.value === "444bf";
  if (subset.disabled) subset.value = "all";
  for (const list of document.querySelectorAll("select[aria-describedby]")) {
    at(list.getAttribute("aria-describedby")).textContent = list.selectedOptions[0]?.title;
  }
  top.disabled = at("top").hidden = !["last-layer", "pll"].includes(subset.value);
  applyColors(!top.disabled);
  nameColors();
  // Scrambles of subsets are longer than these.
  const levels = subset.value === "all" && method.selectedOptions[0]?.dataset.levels?.split(";");
  for (const [index, level] of [...effort.options].entries()) {
    level.textContent = levels ? `${level.value}: ${levels[index]}` : level.value;
  }
}
// Before other listeners, which read the choices.
document.addEventListener("change", updateChoices, true);

function setChoices(parameters) {
  choices.reset();
  for (const [name, value] of parameters) {
    const control = controls.find((control) => control.name === name);
    if (name === "scheme") offer(value);
    if (control && isCheckbox(control)) control.checked = value === "1";
    else if (control) control.value = value;
  }
  updateChoices();
}

let isFaulty = false;

function check() {
  const faulty = controls.find((control) => !control.validity.valid);
  if (faulty) notice.say(`${faulty.labels[0].firstChild.data.trim()}: ${faulty.validationMessage}`, true);
  else if (isFaulty) notice.say("");
  isFaulty = Boolean(faulty);
  return !faulty;
}

function readAddress(kept = []) {
  const address = [...new URLSearchParams(location.search)];
  setChoices([...kept.filter(([name]) => !address.length || LOOKS.includes(name)), ...address]);
  if (kept.length && !address.length && !choices.checkValidity()) setChoices([]);
}

// The scrambles of this tab, as the service sent them, in lists with equal parameters. They outlive a reload.

const MADE = "scramble444 scrambles";
const MOST_LISTS = 30;
let lists = [];
// The list on the page, the current scramble in it, and the turn that is marked.
let shown = { scrambles: [] };
let current = 0;
let marked = -1;
// Whether the next scramble to arrive becomes the current one.
let isNextAwaited = false;
// The request that is under way, and the latest one or the list that stands for it.
let running;
let latest;

const textOf = (index) => shown.scrambles[index].scramble;

function keepScrambles() {
  keep("sessionStorage", MADE, JSON.stringify({ lists, place: [lists.indexOf(shown), current, marked] }));
}

// Returns whether the chosen scrambles were kept.
function restore() {
  try {
    const kept = JSON.parse(recall("sessionStorage", MADE));
    const [list, index, turn] = kept.place;
    lists = kept.lists;
    const { scrambles } = lists.at(list);
    makeCurrent(Math.min(index, scrambles.length - 1), lists.at(list));
    mark(turn);
  } catch {
    lists = [];
  }
  latest = lists.at(-1);
  // A run that the reload has cut off begins anew.
  return isChosen(latest) && latest.count === chosen().count && latest.scrambles.length >= latest.count;
}

function draw(place, index) {
  const { pictures, letters } = chosen();
  place.replaceChildren(columns(textOf(index)));
  if (pictures === "0") return;
  place.append(picture(shown.scrambles[index].state, `Picture of scramble ${index + 1}`, letters === "1"));
}

function addToList(index) {
  const item = at("item-template").content.cloneNode(true);
  const [show, copy] = item.querySelectorAll("button");
  show.textContent = index + 1;
  show.ariaLabel = `Show scramble ${index + 1}`;
  show.addEventListener("click", () => {
    makeCurrent(index);
    at("one").scrollIntoView({ block: "nearest" });
  });
  copy.ariaLabel = `Copy scramble ${index + 1}`;
  copy.addEventListener("click", () => copyOne(index, copy));
  draw(item.querySelector(".cube"), index);
  at("list").append(item);
}

function updateTitles() {
  const { parameters, scrambles } = shown;
  const { event, subset } = choices.elements;
  const nameOf = ({ options }, value) => [...options].find((option) => option.value === value)?.text ?? value;
  const training = parameters.subset ? `, ${nameOf(subset, parameters.subset)}` : "";
  const kind = nameOf(event, parameters.event) + training;
  at("one-title").textContent = `${kind}, scramble ${current + 1} of ${scrambles.length}, ${scrambles[current].moves} moves`;
  at("all-title").textContent = `All scrambles: ${kind}`;
}

function makeCurrent(index, list = shown) {
  if (list !== shown) {
    shown = list;
    drawList();
  }
  const { children } = at("list");
  children[current]?.removeAttribute("aria-current");
  children[index].setAttribute("aria-current", "true");
  current = index;
  marked = -1;
  expectNext(false);
  enable("previous", index > 0 || lists.indexOf(shown) > 0);
  enable("copy", true);
  at("copy").textContent = "Copy";
  draw(at("large"), index);
  updateTitles();
  keepScrambles();
  stayAwake();
}

// Marks a turn and no other.
function mark(turn) {
  marked = turn;
  at("large").querySelectorAll(".turn").forEach((it, index) => it.classList.toggle("marked", index === turn));
  keepScrambles();
}

// Keeps the screen on while a scramble is done. Hidden pages lose this.
const AWAKE_MILLISECONDS = 300_000;
let awake = Promise.resolve();
let asleep;
async function stayAwake() {
  const before = awake;
  awake = document.hidden ? awake : Promise.resolve(navigator.wakeLock?.request("screen")).catch(() => {});
  clearTimeout(asleep);
  asleep = setTimeout(async () => (await awake)?.release(), AWAKE_MILLISECONDS);
  if (before !== awake) (await before)?.release();
}
document.addEventListener("visibilitychange", () => shown.scrambles.length && stayAwake());

// Not `disabled`, so that a button keeps the focus.
const enable = (id, isEnabled) => at(id).setAttribute("aria-disabled", !isEnabled);

function expectNext(isExpected) {
  isNextAwaited = isExpected;
  enable("next", !isExpected);
}

function drawList() {
  const hadFocus = at("list").contains(document.activeElement);
  at("list").replaceChildren();
  if (hadFocus) at("one").focus();
  shown.scrambles.forEach((_, index) => addToList(index));
  at("all").hidden = false;
}

function drawAll() {
  if (!shown.scrambles.length) return;
  const turn = marked;
  drawList();
  makeCurrent(current);
  mark(turn);
}

function add(scramble, list) {
  const index = list.scrambles.push(scramble) - 1;
  if (list === shown) addToList(index);
  if (isNextAwaited) makeCurrent(index, list);
  else if (list === shown) updateTitles();
  keepScrambles();
}

// Requests scrambles. They are added to the last list, unless that has other parameters or `isNew` is true.
async function getScrambles(isNew) {
  if (!check()) {
    at("settings").open = at("experts").open = true;
    choices.reportValidity();
    return;
  }
  running?.abort();
  const request = (running = latest = new AbortController());
  const { count } = chosen();
  const parameters = (request.parameters = ofScrambles(chosen()));
  let list = !isNew && isChosen(lists.at(-1)) && lists.at(-1);
  const path = `v1/scrambles?${new URLSearchParams({ ...parameters, count })}`;
  const options = { headers: { Accept: "application/x-ndjson" } };
  let received = 0;
  const soFar = () => `${received} of ${count} new scrambles.`;
  enable("stop", true);
  expectNext(true);
  try {
    const response = await send(path, options, notice, request.signal);
    notice.say("Scrambling …");
    for await (const scramble of lines(response)) {
      if (!list) {
        list = { parameters, count, scrambles: [] };
        lists = [...lists.slice(1 - MOST_LISTS), list];
      }
      add(scramble, list);
      received += 1;
    }
    notice.say("");
  } catch (error) {
    if (running !== request) return;
    if (request.signal.aborted) notice.say(`Stopped: ${soFar()}`);
    else notice.fail(error, `The response is incomplete: ${soFar()}`);
  }
  running = undefined;
  enable("stop", false);
  expectNext(false);
}

function previous() {
  const before = lists[lists.indexOf(shown) - 1];
  if (current) makeCurrent(current - 1);
  else makeCurrent(before.scrambles.length - 1, before);
}

function next() {
  const after = lists[lists.indexOf(shown) + 1];
  const isMade = isChosen(lists.at(-1));
  if (isMade && current + 1 < shown.scrambles.length) makeCurrent(current + 1);
  else if (isMade && after) makeCurrent(0, after);
  else if (running && isChosen(running)) expectNext(true);
  else getScrambles(false);
}

async function copy(text, what, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without TLS, pages of other machines have no clipboard API.
    const focused = document.activeElement;
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused.focus();
    if (!isCopied) return notice.say("The browser does not allow this page to copy.", true);
  }
  notice.say(`Copied ${what}.`);
  button.dataset.text ??= button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = button.dataset.text), 2000);
}

function save(name, media, text) {
  const link = document.createElement("a");
  link.download = name;
  link.href = `data:${media};charset=utf-8,${encodeURIComponent(text)}`;
  link.click();
}

const copyOne = (index, button) => copy(textOf(index), `scramble ${index + 1}`, button);
const asText = () => shown.scrambles.map(({ scramble }) => `${scramble}\n`).join("");
function asJson() {
  const { parameters, scrambles } = shown;
  return JSON.stringify({ ...parameters, effort: Number(parameters.effort), scrambles }, null, 2);
}

// Buttons and keys.

const onClick = {
  previous,
  next,
  copy: (button) => copyOne(current, button),
  "copy-all": (button) => copy(asText(), "all scrambles", button),
  "save-text": () => save("scrambles.txt", "text/plain", asText()),
  "save-json": () => save("scrambles.json", "application/json", asJson()),
  print: () => print(),
  stop: () => running.abort(),
  "help-button": () => at("help").showModal(),
};
for (const [id, act] of Object.entries(onClick)) {
  at(id).addEventListener("click", () => at(id).ariaDisabled === "true" || act(at(id)));
}

// The words of speech input press keys, so these can be switched off.
const KEYS = "scramble444 keys";
const keys = at("keys");
keys.checked = recall("localStorage", KEYS) !== "off";
keys.addEventListener("change", () => keep("localStorage", KEYS, keys.checked ? null : "off"));

const onKey = {
  " ": "next",
  n: "next",
  ArrowRight: "next",
  ArrowLeft: "previous",
  c: "copy",
  p: "print",
  "?": "help-button",
};
document.addEventListener("keydown", (event) => {
  const button = keys.checked && at(onKey[event.key]);
  // These elements handle keys themselves; those at the end only the space bar.
  const handlers = `dialog, input, select, textarea${event.key === " " ? ", button, a, summary" : ""}`;
  if (!button || !button.checkVisibility() || event.target.closest(handlers)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  event.preventDefault();
  button.click();
});

// A swipe over the current scramble. Vertical ones scroll.
let touched;
at("one").addEventListener("pointerdown", (event) => (touched = event));
at("one").addEventListener("pointerup", (event) => {
  const [x, y] = [event.clientX - touched?.clientX, event.clientY - touched?.clientY];
  const isSwipe = event.pointerType === "touch" && Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y);
  if (isSwipe) at(x < 0 ? "next" : "previous").click();
});
// Swipes move an enlarged page.
visualViewport.addEventListener("resize", () => {
  at("one").style.touchAction = visualViewport.scale > 1.05 ? "auto" : "";
});

// Dragging selects text.
at("large").addEventListener("click", ({ target }) => {
  const turn = [...at("large").querySelectorAll(".turn")].indexOf(target);
  if (turn >= 0 && getSelection().isCollapsed) mark(turn === marked ? -1 : turn);
});

choices.addEventListener("submit", (event) => {
  event.preventDefault();
  getScrambles(true);
  // So that the space bar means "next".
  at("one").focus();
});
function follow() {
  if (check() && !isChosen(latest)) getScrambles(true);
}

choices.addEventListener("change", (event) => {
  if (check()) {
    const query = new URLSearchParams(chosen()).toString();
    history.pushState(null, "", `?${query}`);
    keep("localStorage", CHOICES, query);
  }
  if (isCheckbox(event.target)) drawAll();
  follow();
});
addEventListener("popstate", () => {
  readAddress();
  drawAll();
  follow();
});
at("loading").remove();
document.querySelector("main").hidden = false;
at("settings").open = matchMedia("(min-width: 48rem) and (min-height: 30rem)").matches;
startPosition(chosen);
startSheets(chosen);
readAddress([...new URLSearchParams(recall("localStorage", CHOICES) ?? "")]);
if (!restore()) getScrambles(true);
