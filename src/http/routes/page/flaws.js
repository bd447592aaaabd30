// Explains why painted stickers are impossible.

import { COLORS, FACES, SIDES } from "./cube.js";

const CENTERS = [5, 6, 9, 10];

const listed = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");

// A place in words: ULB is a corner, UFr is the half of the UF edge that is next to R.
function where(name) {
  const sides = [...name].map((letter) => SIDES[letter.toUpperCase()]);
  const half = /[a-z]$/.test(name) && sides.pop();
  return `the ${sides.join(" ")} ${half ? `edge (${half} half)` : "corner"}`;
}

// All colors with a wrong number of centers, as the service reports only one.
function centers(state) {
  const indices = [...Array(96).keys()].filter((index) => CENTERS.includes(index & 15));
  const withColor = (face) => indices.filter((index) => state[index] === face);
  const wrong = FACES.filter((face) => withColor(face).length !== 4);
  const counts = wrong.map((face) => `${COLORS[face]} is on ${withColor(face).length}`);
  return {
    text: `Each color must be on 4 centers, but ${listed(counts)}.`,
    marked: wrong.map(withColor).filter((indices) => indices.length > 4).flat(),
  };
}

// The text for a flaw that the service has found, and the stickers to mark. Undefined for flaws that
// painted stickers cannot have.
export function explain({ kind, places }, state) {
  if (kind === "center-count") return centers(state);
  const [facelets] = places.map((place) => place.facelets);
  const colors = facelets && listed(facelets.map((index) => COLORS[state[index]]));
  const at = listed(places.map(({ place }) => where(place)));
  const piece = facelets?.length === 3 ? "corner" : "edge piece";
  const texts = {
    "no-such-piece": `No ${piece} is ${colors}. Check ${at}.`,
    "mirrored-corner": `The colors ${colors} are in reversed order. Exchange two of them at ${at}.`,
    duplicate: `Too many ${piece}s are ${colors}. Check ${at}.`,
    "flipped-wing": `Two edge pieces are ${colors} and have the same orientation. Exchange the colors of one. Check ${at}.`,
    twist: "All pieces exist, but a corner is twisted. Rotate the colors of one corner.",
  };
  return texts[kind] && { text: texts[kind], marked: places.flatMap((place) => place.facelets) };
}
