// A 4x4x4 cube of 96 stickers, each with a place and a direction in space. It shares nothing with the engine.

const directions = { U: [0, 1, 0], R: [1, 0, 0], F: [0, 0, 1], D: [0, -1, 0], L: [-1, 0, 0], B: [0, 0, -1] };
/** For each face, the directions to the right and down as one looks at it. */
const right = { U: "R", R: "B", F: "R", D: "R", L: "F", B: "L" };
const down = { U: "F", R: "D", F: "D", D: "B", L: "D", B: "D" };
const rotations = { x: "R", y: "U", z: "F" };
const offsets = [-3, -1, 1, 3];

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const sum = (...vectors) => [0, 1, 2].map((i) => vectors.reduce((total, vector) => total + vector[i], 0));
const times = (factor, vector) => vector.map((value) => factor * value);

/** `vector` after a quarter turn about `axis`, clockwise as seen from where `axis` points to. */
const turned = (vector, axis) => sum(cross(vector, axis), times(dot(vector, axis), axis));

/** The solved cube's stickers, in the order of facelets. */
function solved() {
  return Object.entries(directions).flatMap(([color, facing]) =>
    offsets.flatMap((row) =>
      offsets.map((column) => {
        const sides = [times(column, directions[right[color]]), times(row, directions[down[color]])];
        return { color, facing, place: sum(times(3, facing), ...sides) };
      }),
    ),
  );
}

/** The facelets of the state that turns in WCA notation lead to. */
export function facelets(turns) {
  let stickers = solved();
  for (const turn of turns.split(" ").filter(Boolean)) {
    const [, name, wide, amount] = /^([URFDLBxyz])(w?)([2']?)$/.exec(turn);
    const axis = directions[rotations[name] ?? name];
    const innermost = name in rotations ? -3 : wide ? 1 : 3;
    for (let quarter = 0; quarter < { "": 1, 2: 2, "'": 3 }[amount]; quarter += 1) {
      stickers = stickers.map(({ color, facing, place }) =>
        dot(place, axis) < innermost
          ? { color, facing, place }
          : { color, facing: turned(facing, axis), place: turned(place, axis) },
      );
    }
  }
  const colors = new Map(stickers.map(({ color, facing, place }) => [`${facing} ${place}`, color]));
  return solved()
    .map(({ facing, place }) => colors.get(`${facing} ${place}`))
    .join("");
}

/** Whether every face of a state has one color. */
export function isSolved(state) {
  return /^(?:(.)\1{15}){6}$/.test(state);
}
