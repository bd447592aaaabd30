// Positions that somebody gives, by turns or by painting stickers, to have them solved or checked.

import { COLOURS, FACES, columns, drawn, faceOf, letterOf, picture, stickerAt } from "./cube.js";
import { explain } from "./flaws.js";
import { ask, noticeIn } from "./service.js";

const at = (id) => document.getElementById(id);
const form = at("given");
const given = form.elements;

// The stickers of the net that is painted, in the order of a state.
const SOLVED = FACES.map((face) => face.repeat(16)).join("");
const net = picture(SOLVED, "Stickers", true);
const stickers = [...net.querySelectorAll("rect")];

const painted = () => stickers.map((sticker) => sticker.getAttribute("class")).join("");

function paint(index, colour) {
  const [face, column, row] = stickerAt(index);
  const sticker = stickers[index];
  sticker.setAttribute("class", colour);
  sticker.ariaLabel = `${face}, row ${row + 1}, column ${column + 1}: ${COLOURS[colour]}`;
  sticker.nextSibling.textContent = letterOf(colour);
}

// Two outlines, one inside the other: one of them is seen on any colour.
function twoTone(name, attributes) {
  const group = drawn("g", { class: name });
  group.append(...["light", "dark"].map((tone) => drawn("path", { ...attributes, class: tone })));
  return group;
}

const frame = twoTone("frame", { d: "M0 0h10v10h-10z" });

function moveOnto(outline, { x, y }) {
  outline.setAttribute("transform", `translate(${x.baseVal.value} ${y.baseVal.value})`);
  return outline;
}

// Puts rings onto stickers, and takes away those that were there.
function mark(indices) {
  for (const ring of net.querySelectorAll(".ring")) ring.remove();
  [...painted()].forEach((colour, index) => paint(index, colour));
  for (const index of indices) {
    const ring = twoTone("ring", { d: "M.7 5a4.3 4.3 0 0 1 8.6 0a4.3 4.3 0 0 1-8.6 0" });
    frame.before(moveOnto(ring, stickers[index]));
    stickers[index].ariaLabel += ", marked";
  }
}

function paintAll(state) {
  [...state].forEach((colour, index) => paint(index, colour));
  mark([]);
}

// Of all stickers, the tab key reaches the one that had the focus last.
function focus(index) {
  if (!stickers[index]) return;
  for (const sticker of stickers) sticker.setAttribute("tabindex", -1);
  stickers[index].setAttribute("tabindex", 0);
  stickers[index].focus();
}

// The sticker beside one, across the gap between faces, too.
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
  const colour = isPress ? given.colour.value : faceOf(event.key.toUpperCase());
  if (!arrow && !colour) return;
  event.preventDefault();
  event.stopPropagation();
  if (colour) paint(index, colour);
  if (!isPress) focus(arrow ? beside(index, arrow) : index + 1);
}

function makeNet() {
  net.setAttribute("role", "group");
  net.setAttribute("aria-describedby", "net-help");
  stickers.forEach((sticker, index) => {
    sticker.setAttribute("role", "button");
    sticker.setAttribute("tabindex", index ? -1 : 0);
    sticker.addEventListener("click", () => paint(index, given.colour.value));
    sticker.addEventListener("keydown", (event) => press(event, index));
    sticker.addEventListener("focus", () => moveOnto(frame, sticker));
  });
  net.firstChild.append(frame);
  at("net").append(net);
  paintAll(SOLVED);
}

function makePalette() {
  for (const face of FACES) {
    const choice = document.createElement("input");
    Object.assign(choice, { type: "radio", name: "colour", value: face, checked: face === "U" });
    const label = document.createElement("label");
    label.className = `check ${face}`;
    label.append(choice, COLOURS[face]);
    at("palette").append(label);
  }
}

const lengthOf = ({ obtm, stm, btm }) => `${obtm} outer block, ${stm} slice, ${btm} block turns`;
const yesOrNo = (is) => (is ? "yes" : "no");

// What the service says, as terms and what they mean.
function* verdict(said) {
  yield ["Solved", yesOrNo(said.solved)];
  yield ["At least two turns from solved", yesOrNo(said.far_enough)];
  if (said.length) {
    yield ["Length", lengthOf(said.length)];
    yield ["In WCA notation", yesOrNo(said.wca_notation)];
  }
  yield ["State", said.state];
}

function* solution(said) {
  yield ["Solution", said.solution ? columns(said.solution) : "none needed"];
  yield ["Length", lengthOf(said.length)];
  yield ["Method", `${said.method}, in ${said.millis.toFixed(0)} ms`];
  for (const { stage, moves } of said.stages) yield [stage, moves ? columns(moves) : "nothing to do"];
}

function show(said, letters) {
  const list = document.createElement("dl");
  for (const pair of said.stages ? solution(said) : verdict(said)) {
    const cells = ["dt", "dd"].map((name) => document.createElement(name));
    cells.forEach((cell, side) => cell.append(pair[side]));
    list.append(...cells);
  }
  at("answer").replaceChildren(list, picture(said.state, "Picture of the position", letters === "1"));
}

function showHowGiven() {
  at("by-scramble").hidden = given.by.value !== "scramble";
  at("by-state").hidden = given.by.value !== "state";
}

// Makes the form work. `chosen` tells the method, the effort and whether stickers have letters.
export function start(chosen) {
  const notice = noticeIn(at("position-notice"));
  let running = new AbortController();
  makePalette();
  makeNet();
  showHowGiven();
  form.addEventListener("change", showHowGiven);
  at("solved").addEventListener("click", () => {
    paintAll(SOLVED);
    notice.say("");
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    running.abort();
    const { signal } = (running = new AbortController());
    const { method, effort, letters } = chosen();
    const position = given.by.value === "state" ? { state: painted() } : { scramble: given.scramble.value };
    const options = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...position, method, effort: Number(effort) }),
    };
    at("answer").replaceChildren();
    mark([]);
    try {
      const said = await (await ask(event.submitter.value, options, notice, signal)).json();
      notice.say("");
      show(said, letters);
      // Stickers can be painted from there.
      paintAll(said.state);
    } catch (error) {
      if (signal.aborted) return;
      const told = error.flaw && explain(error.flaw, position.state);
      if (!told) return notice.fail(error);
      notice.say(told.text, true);
      mark(told.marked);
    }
  });
}
