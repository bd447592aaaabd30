// What is wrong with painted stickers, in the words of what is seen.

import { COLOURS, FACES } from "./cube.js";

const SIDES = { U: "top", R: "right", F: "front", D: "bottom", L: "left", B: "back" };
const CENTERS = [5, 6, 9, 10];

const listed = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");

// A place by its name: ULB is a corner, UFr the one of two halves of an edge that is next to R.
function where(name) {
  const sides = [...name].map((letter) => SIDES[letter.toUpperCase()]);
  const half = /[a-z]$/.test(name) && sides.pop();
  return `the ${sides.join(" ")} ${half ? `edge (${half} half)` : "corner"}`;
}

// All centers of colours that are on too many of them, as the service names one wrong colour only.
function centers(state) {
  const indices = [...Array(96).keys()].filter((index) => CENTERS.includes(index & 15));
  const withColour = (face) => indices.filter((index) => state[index] === face);
  const wrong = FACES.filter((face) => withColour(face).length !== 4);
  const counts = wrong.map((face) => `${COLOURS[face]} is on ${withColour(face).length}`);
  return {
    text: `Each colour must be on 4 centers, but ${listed(counts)}.`,
    marked: wrong.map(withColour).filter((its) => its.length > 4).flat(),
  };
}

// Words for a flaw that the service has found, and the stickers to be marked; nothing for flaws that
// painted stickers cannot have.
export function explain({ kind, places }, state) {
  if (kind === "center-count") return centers(state);
  const [facelets] = places.map((place) => place.facelets);
  const colours = facelets && listed(facelets.map((index) => COLOURS[state[index]]));
  const at = listed(places.map(({ place }) => where(place)));
  const piece = facelets?.length === 3 ? "corner" : "edge piece";
  const words = {
    "no-such-piece": `No ${piece} is ${colours}: look at ${at}.`,
    "mirrored-corner": `The colours ${colours} go round the wrong way: exchange two at ${at}.`,
    duplicate: `Too many ${piece}s are ${colours}: look at ${at}.`,
    "flipped-wing": `Two edge pieces are ${colours} and lie the same way: exchange the colours of one. Look at ${at}.`,
    twist: "All pieces are there, but a corner is twisted in its place: let the colours of one corner go round.",
  };
  return words[kind] && { text: words[kind], marked: places.flatMap((place) => place.facelets) };
}
