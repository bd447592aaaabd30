// How a cube and turns of it are shown.

// The faces, in the order in which a state has their stickers, and their colours.
export const COLOURS = { U: "white", R: "red", F: "green", D: "yellow", L: "orange", B: "blue" };
export const FACES = Object.keys(COLOURS);

// The column and row of each face in the net.
const PLACES = { U: [1, 0], R: [2, 1], F: [1, 1], D: [1, 2], L: [0, 1], B: [3, 1] };

// The face of a sticker of a state, and the sticker's column and row in it.
export const stickerAt = (index) => [FACES[index >> 4], index & 3, (index >> 2) & 3];

export const letterOf = (face) => COLOURS[face][0].toUpperCase();

// The face that a letter stands for, its own or its colour's.
export const faceOf = (letter) => FACES.find((face) => face === letter || letterOf(face) === letter);

export function drawn(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

// The net of a state: the picture that the service draws, with colours from the style sheet.
export function picture(state, name, hasLetters) {
  const svg = drawn("svg", { viewBox: "0 0 170 128", role: "img", "aria-label": name });
  // Shifted by half a pixel, borders of one pixel fall on whole pixels.
  const group = drawn("g", { transform: "translate(0.5,0.5)" });
  [...state].forEach((colour, index) => {
    const [face, ...steps] = stickerAt(index);
    const [x, y] = steps.map((step, axis) => 2 + 42 * PLACES[face][axis] + 10 * step);
    group.append(drawn("rect", { x, y, width: 10, height: 10, class: colour }));
    if (hasLetters) {
      const letter = drawn("text", { x: x + 5, y: y + 8 });
      letter.append(letterOf(colour));
      group.append(letter);
    }
  });
  svg.append(group);
  return svg;
}

// Turns in columns. Two groups of six make a line of twelve, as on printed sheets; on a narrow screen
// each is a line.
export function columns(sequence) {
  const code = document.createElement("code");
  code.className = "turns";
  for (const [group] of sequence.matchAll(/(\S+ ?){1,6}/g)) {
    const span = document.createElement("span");
    span.append(group.replace(/\S+ ?/g, (turn) => turn.padEnd(4)));
    code.append(span);
  }
  return code;
}
