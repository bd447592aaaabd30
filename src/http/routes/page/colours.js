// The colours of stickers: the usual ones, others for colour-blind people, or six of the user's own.

import { COLOURS, FACES, SIDES } from "./cube.js";
import { at } from "./notice.js";

const USUAL = { ...COLOURS };
const USUAL_SCHEME = "0000ff,ffff00,00ff00,ff8000,ff0000,ffffff";
// The order of the faces in a scheme.
const ORDER = [..."BDFLRU"];
// With the last layer's colour on top, and the same one in front.
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
  scheme.split(",").forEach((colour, index) => (pickers[ORDER[index]].value = `#${colour}`));
}

// Black or white, whichever has more contrast.
function ink(colour) {
  const [red, green, blue] = colour.match(/../g).map((part) => (parseInt(part, 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000" : "#fff";
}

function colour(element, scheme, from = (face) => face) {
  for (const face of FACES) {
    const colour = scheme.split(",")[ORDER.indexOf(from(face))];
    element.style.setProperty(`--${face}`, `#${colour}`);
    element.style.setProperty(`--on-${face}`, ink(colour));
  }
}

// Shows the chosen colours, unless two of them are equal.
export function applyColours(isLastLayer) {
  own.value = ORDER.map((face) => pickers[face].value.slice(1)).join();
  const isOwn = own.selected;
  const isDistinct = new Set(own.value.split(",")).size === 6;
  at("own").hidden = !isOwn;
  list.setCustomValidity(isOwn && !isDistinct ? "Two faces have the same colour." : "");
  if (!list.validity.valid) return;
  for (const face of FACES) COLOURS[face] = isOwn ? `your ${SIDES[face]} colour` : USUAL[face];
  const scheme = list.value === "usual" ? USUAL_SCHEME : list.value;
  const held = isLastLayer && top.value === "yellow" ? (face) => HALF_TURN[face] : undefined;
  colour(document.body, scheme);
  for (const id of ["one", "all"]) colour(at(id), scheme, held);
  const [up, front] = ["U", "F"].map((face) => COLOURS[held?.(face) ?? face]);
  at("hold").textContent = `Hold ${up} on top, ${front} in front.`;
}
