// Compares scrambles of the 4x4x4 by cubing.js and by this package, in one process:
//
//     ./build.sh && npm i --no-save cubing@0.63.4 && node bench.mjs [COUNT]
//
// The two take turns. The first scramble includes what each prepares for it. Processor time is that of all threads.
// cubing.js is told not to make scrambles ahead, which it would do while the other is timed. Lengths are in outer block
// turns; rotations do not count. cubing.js replays every scramble, followed by the package's solution: of the scramble
// for those of cubing.js, of the state for the package's own. The end must be the solved cube.

import { loadavg } from "node:os";

import { puzzles } from "cubing/puzzles";
import { randomScrambleForEvent } from "cubing/scramble";
import { setSearchDebug } from "cubing/search";
import { createScrambler } from "scramble444";

setSearchDebug({ logPerf: false, scramblePrefetchLevel: "none" });
const count = Number(process.argv[2] ?? 40);
const solved = (await puzzles["4x4x4"].kpuzzle()).defaultPattern();

const rotations = ["", "x", "x2", "x'", "z", "z'"].flatMap((tilt) => ["", "y", "y2", "y'"].map((spin) => `${tilt} ${spin}`));

const isSolvedBy = (turns) => rotations.some((rotation) => solved.applyAlg(`${turns} ${rotation}`).isIdentical(solved));

const turnsOf = (scramble) => scramble.split(" ").filter((turn) => !"xyz".includes(turn[0]));

let scrambler;
const makers = {
  async "cubing.js"() {
    const scramble = (await randomScrambleForEvent("444")).toString();
    return { scramble };
  },
  async scramble444() {
    scrambler ??= await createScrambler();
    return scrambler.scramble();
  },
};
const measured = Object.entries(makers).map(([name, make]) => ({ name, make, wall: [], cpu: [], scrambles: [] }));
const load = () => loadavg()[0].toFixed(1);
const loadBefore = load();
for (let number = 0; number <= count; number += 1) {
  for (const one of measured) {
    const [wall, cpu] = [performance.now(), process.cpuUsage()];
    one.scrambles.push(await one.make());
    one.wall.push(performance.now() - wall);
    const { user, system } = process.cpuUsage(cpu);
    one.cpu.push((user + system) / 1000);
  }
}
for (const { scrambles } of measured) {
  for (const { scramble, state } of scrambles) {
    const { solution } = await scrambler.solve(state ? { state } : { scramble });
    if (!isSolvedBy(`${scramble} ${solution}`)) throw new Error(`${scramble} is not solved by ${solution}`);
  }
}
scrambler.terminate();

const median = (list) => list.toSorted((one, other) => one - other)[list.length >> 1];
const seconds = (millis) => `${(millis / 1000).toFixed(1)} s`;
console.log(`| ${count} scrambles each | first | its processor time | median | its processor time | mean moves |`);
console.log("|---|---|---|---|---|---|");
for (const { name, wall, cpu, scrambles } of measured) {
  const moves = scrambles.slice(1).flatMap(({ scramble }) => turnsOf(scramble)).length / count;
  const medians = [wall, cpu].map((list) => `${median(list.slice(1)).toFixed(0)} ms`);
  const columns = [name, seconds(wall[0]), seconds(cpu[0]), ...medians, moves.toFixed(2)];
  console.log(`| ${columns.join(" | ")} |`);
}
console.log(`All are replayed. The machine's load was ${loadBefore} before and ${load()} after.`);
// The workers of cubing.js would keep the process running.
process.exit();
