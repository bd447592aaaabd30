// The colors of stickers: the usual ones, others for color-blind people, or six of the user's own.

import { COLORS, FACES, SIDES } from "./cube.js";
import { at } from "./notice.js";

const USUAL = { ...COLORS };
const USUAL_SCHEME = "0000ff,ffff00,00ff00,ff8000,ff0000,ffffff";
// The order of the faces in a scheme.
const ORDER = [..."BDFLRU"];
// With the last layer's color on top, and the same one in front.
const HALF_TURN = { U: "D", D: "U", R: "L", L: "R", F: "F", B: "B" };

const { scheme: list, top } = at("choices").elements;
const own = list.lastElementChild;
const pickers = {};
for (const face of FACES) {
  // The form resets to default values.
  const defaultValue = `#${USUAL_SCHEME.split(",")[ORDER.indexOf(face)]}`;
  const picker = Object.assign(document.createElement("input"), { type: "color", defaultValue });
  const label = document.createElement("label");
  label.append(SIDES[face], picker);
  at("own").append(label);
  pickers[face] = picker;
}

// Makes a scheme of an address the user's own.
export function offer(scheme) {
  if (!/^([0-9a-f]{6}(,(?=.)|$)){6}$/.test(scheme)) return;
  own.value = scheme;
  scheme.split(",").forEach((color, index) => (pickers[ORDER[index]].value = `#${color}`));
}

// Black or white, whichever has more contrast.
function ink(color) {
  const [red, green, blue] = color.match(/../g).map((part) => (parseInt(part, 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000" : "#fff";
}

function color(element, scheme, from = (face) => face) {
  for (const face of FACES) {
    const color = scheme.split(",")[ORDER.indexOf(from(face))];
    element.style.setProperty(`--${face}`, `#${color}`);
    element.style.setProperty(`--on-${face}`, ink(color));
  }
}

// Shows the chosen colors, unless two of them are equal.
export function applyColors(isLastLayer) {
  own.value = ORDER.map((face) => pickers[face].value.slice(1)).join();
  const isOwn = own.selected;
  const isDistinct = new Set(own.value.split(",")).size === 6;
  at("own").hidden = !isOwn;
  list.setCustomValidity(isOwn && !isDistinct ? "Two faces have the same color." : "");
  if (!list.validity.valid) return;
  for (const face of FACES) COLORS[face] = isOwn ? `your ${SIDES[face]} color` : USUAL[face];
  const scheme = list.value === "usual" ? USUAL_SCHEME : list.value;
  const held = isLastLayer && top.value === "yellow" ? (face) => HALF_TURN[face] : undefined;
  color(document.body, scheme);
  for (const id of ["one", "all"]) color(at(id), scheme, held);
  const [up, front] = ["U", "F"].map((face) => COLORS[held?.(face) ?? face]);
  at("hold").textContent = `Hold ${up} on top, ${front} in front.`;
}
