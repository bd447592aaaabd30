// The form to solve or check a position, which is entered as turns or painted.

import { COLORS, FACES, columns, faceOf, picture, stickerAt, svgElement } from "./cube.js";
import { explain } from "./flaws.js";
import { keep, recall } from "./memory.js";
import { at, noticeIn } from "./notice.js";
import { send } from "./service.js";

const form = at("given");
const { elements } = form;

// The stickers, in the order of a state. Fingers need large ones, so on phones the net is narrow.
const SOLVED = FACES.map((face) => face.repeat(16)).join("");
const net = picture(SOLVED, "Stickers", true, Math.min(innerWidth, screen.width, screen.height) < 448);
const stickers = [...net.querySelectorAll("rect")];

const painted = () => stickers.map((sticker) => sticker.getAttribute("class")).join("");

function paint(index, color) {
  const [face, column, row] = stickerAt(index);
  const sticker = stickers[index];
  sticker.setAttribute("class", color);
  sticker.ariaLabel = `${face}, row ${row + 1}, column ${column + 1}: ${COLORS[color]}`;
  sticker.nextSibling.setAttribute("class", color);
  sticker.nextSibling.textContent = color;
}

// One of the two tones is visible on any color.
function twoTone(name, attributes) {
  const group = svgElement("g", { class: name });
  group.append(...["light", "dark"].map((tone) => svgElement("path", { ...attributes, class: tone })));
  return group;
}

const frame = twoTone("frame", { d: "M0 0h10v10h-10z" });

function moveOnto(outline, { x, y }) {
  outline.setAttribute("transform", `translate(${x.baseVal.value} ${y.baseVal.value})`);
  return outline;
}

// Paints all stickers, and marks only these.
function paintAll(state, marked = []) {
  for (const ring of net.querySelectorAll(".ring")) ring.remove();
  [...state].forEach((color, index) => paint(index, color));
  for (const index of marked) {
    const ring = twoTone("ring", { d: "M.7 5a4.3 4.3 0 0 1 8.6 0a4.3 4.3 0 0 1-8.6 0" });
    frame.before(moveOnto(ring, stickers[index]));
    stickers[index].ariaLabel += ", marked";
  }
}

// A roving tabindex.
function focus(index) {
  if (!stickers[index]) return;
  for (const sticker of stickers) sticker.setAttribute("tabindex", -1);
  stickers[index].setAttribute("tabindex", 0);
  stickers[index].focus();
}

// The neighbor of a sticker, also on the next face of the net; -1 if there is none.
function beside(index, [dx, dy]) {
  const place = (sticker) => [sticker.x.baseVal.value, sticker.y.baseVal.value];
  const [x, y] = place(stickers[index]);
  const isStep = (way, step) => way === 10 * step || way === 12 * step;
  return stickers.findIndex((other) => isStep(place(other)[0] - x, dx) && isStep(place(other)[1] - y, dy));
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function press(event, index) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  const isPress = event.key === " " || event.key === "Enter";
  const color = isPress ? elements.color.value : faceOf(event.key.toUpperCase());
  if (!arrow && !color) return;
  event.preventDefault();
  event.stopPropagation();
  if (color) paint(index, color);
  if (!isPress) focus(arrow ? beside(index, arrow) : index + 1);
}

// Where dragging begins. Two fingers zoom.
let first;

function drag({ type, isPrimary, buttons, clientX, clientY }) {
  const index = stickers.indexOf(document.elementFromPoint(clientX, clientY));
  if (type === "pointerdown") first = isPrimary ? index : -1;
  else if (buttons === 1 && first >= 0 && index >= 0) {
    for (const each of [first, index]) paint(each, elements.color.value);
  }
}

function makeNet() {
  for (const name of ["pointerdown", "pointermove"]) net.addEventListener(name, drag);
  net.setAttribute("role", "group");
  net.setAttribute("aria-describedby", "net-help");
  stickers.forEach((sticker, index) => {
    sticker.setAttribute("role", "button");
    sticker.setAttribute("tabindex", index ? -1 : 0);
    sticker.addEventListener("click", () => paint(index, elements.color.value));
    sticker.addEventListener("keydown", (event) => press(event, index));
    sticker.addEventListener("focus", () => moveOnto(frame, sticker));
  });
  net.firstChild.append(frame);
  at("net").append(net);
}

function makePalette() {
  for (const face of FACES) {
    const choice = document.createElement("input");
    Object.assign(choice, { type: "radio", name: "color", value: face, checked: face === "U" });
    const label = document.createElement("label");
    label.className = `check ${face}`;
    label.append(choice, "");
    at("palette").append(label);
  }
  nameColors();
}

export function nameColors() {
  [...at("palette").querySelectorAll("label")].forEach((label, index) => {
    label.lastChild.data = COLORS[FACES[index]];
  });
  [...painted()].forEach((color, index) => paint(index, color));
}

const lengthOf = ({ obtm, stm, btm }) => `${obtm} moves, ${stm} slice turns, ${btm} block turns`;
const yesOrNo = (is) => (is ? "yes" : "no");

const STAGES = {
  "oriented-corners": "Corners oriented",
  "fb-centers": "Front and back centers",
  "lr-centers": "Centers on their axes",
  "half-turn-group": "Half turns suffice",
  "axis-centers": "Centers of one axis",
  "all-axes": "Centers on their axes",
  reduced: "Like a 3x3x3 cube",
  solved: "Solved",
};

function* verdict(report) {
  yield ["Solved", yesOrNo(report.solved)];
  yield ["At least two turns from solved", yesOrNo(report.far_enough)];
  if (report.length) {
    yield ["Length", lengthOf(report.length)];
    yield ["In WCA notation", yesOrNo(report.wca_notation)];
  }
  yield ["State", report.state];
}

function* solution(report) {
  yield ["Solution", report.solution ? columns(report.solution) : "already solved"];
  yield ["Length", lengthOf(report.length)];
  yield ["Method", `${report.method}, in ${report.millis.toFixed(0)} ms`];
  for (const { stage, turns } of report.stages) yield [STAGES[stage] ?? stage, turns ? columns(turns) : "no turns"];
}

function show(report, letters) {
  const list = document.createElement("dl");
  for (const pair of report.stages ? solution(report) : verdict(report)) {
    const cells = ["dt", "dd"].map((name) => document.createElement(name));
    cells.forEach((cell, side) => cell.append(pair[side]));
    cells[1].translate = pair[0] !== "State";
    list.append(...cells);
  }
  at("answer").replaceChildren(list, picture(report.state, "Picture of the position", letters === "1"));
}

const GIVEN = "scramble444 position";
function keepGiven() {
  keep("sessionStorage", GIVEN, JSON.stringify([elements.by.value, elements.scramble.value, painted()]));
}
function restore() {
  const [by, turns, state] = JSON.parse(recall("sessionStorage", GIVEN)) ?? ["scramble", "", SOLVED];
  [elements.by.value, elements.scramble.value] = [by, turns];
  paintAll(state);
}

function showInput() {
  for (const by of ["scramble", "state"]) at(`by-${by}`).hidden = elements.by.value !== by;
}

export function start(chosen) {
  const notice = noticeIn(at("position-notice"));
  let running = new AbortController();
  makePalette();
  makeNet();
  restore();
  showInput();
  document.addEventListener("visibilitychange", keepGiven);
  form.addEventListener("change", showInput);
  at("solved").addEventListener("click", () => {
    paintAll(SOLVED);
    notice.say("");
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    running.abort();
    const { signal } = (running = new AbortController());
    const { method, effort, letters } = chosen();
    const position = elements.by.value === "state" ? { state: painted() } : { scramble: elements.scramble.value };
    const options = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...position, method, effort: Number(effort) }),
    };
    at("answer").replaceChildren();
    paintAll(painted());
    try {
      const report = await (await send(event.submitter.value, options, notice, signal)).json();
      notice.say("");
      show(report, letters);
      paintAll(report.state);
    } catch (error) {
      if (signal.aborted) return;
      const explanation = error.flaw && explain(error.flaw, position.state);
      if (!explanation) return notice.fail(error);
      notice.say(explanation.text, true);
      paintAll(painted(), explanation.marked);
    }
  });
}
