// The faces, in the order of their stickers in a state, and their colors.
export const COLORS = { U: "white", R: "red", F: "green", D: "yellow", L: "orange", B: "blue" };
export const FACES = Object.keys(COLORS);
export const SIDES = { U: "top", R: "right", F: "front", D: "bottom", L: "left", B: "back" };

// The column and the row of each face in the net.
const PLACES = { U: [1, 0], R: [2, 1], F: [1, 1], D: [1, 2], L: [0, 1], B: [3, 1] };

// The face of the sticker with this index in a state, and the sticker's column and row in the face.
export const stickerAt = (index) => [FACES[index >> 4], index & 3, (index >> 2) & 3];

// The face with this letter, or whose usual color has this letter.
export const faceOf = (letter) => FACES.find((face, index) => face === letter || "WRGYOB"[index] === letter);

export function svgElement(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}

// The net of a state, like the picture of the service, with colors from the style sheet. In a `narrow` one, the back is
// below the right side.
export function picture(state, name, hasLetters, isNarrow) {
  const places = isNarrow ? { ...PLACES, B: [2, 2] } : PLACES;
  const svg = svgElement("svg", { viewBox: `0 0 ${isNarrow ? 128 : 170} 128`, role: "img", "aria-label": name, translate: "no" });
  // The shift by half a pixel aligns borders with pixels.
  const group = svgElement("g", { transform: "translate(0.5,0.5)" });
  [...state].forEach((color, index) => {
    const [face, ...steps] = stickerAt(index);
    const [x, y] = steps.map((step, axis) => 2 + 42 * places[face][axis] + 10 * step);
    group.append(svgElement("rect", { x, y, width: 10, height: 10, class: color }));
    if (hasLetters) {
      const letter = svgElement("text", { x: x + 5, y: y + 8, class: color });
      letter.append(color);
      group.append(letter);
    }
  });
  svg.append(group);
  return svg;
}

// Turns in columns: twelve per line, as on printed sheets, or six on narrow screens. Screen readers do not speak the
// apostrophe, so they get words, by the style sheet: as text they would be copied.
export function columns(sequence) {
  const code = document.createElement("code");
  Object.assign(code, { className: "turns", ariaHidden: "true", translate: false });
  for (const [group] of sequence.matchAll(/(\S+ ?){1,6}/g)) {
    const span = document.createElement("span");
    for (const [turn] of group.matchAll(/\S+ ?/g)) {
      const part = Object.assign(document.createElement("span"), { className: "turn", textContent: turn.padEnd(4) });
      span.append(part);
    }
    code.append(span);
  }
  const spoken = Object.assign(document.createElement("span"), { className: "spoken" });
  const words = sequence.replaceAll("w", " wide").replaceAll("2", " 2").replaceAll("'", " prime");
  spoken.dataset.words = words.replaceAll(/ (?=[A-Zxyz])/g, ", ");
  const both = document.createDocumentFragment();
  both.append(code, spoken);
  return both;
}
