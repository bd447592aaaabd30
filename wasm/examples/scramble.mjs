// Makes a scramble of the 4x4x4 cube, solves it, and draws it as scramble.svg. Ctrl-C stops early.
import { writeFile } from "node:fs/promises";
import { createScrambler } from "scramble444";

const controller = new AbortController();
process.once("SIGINT", () => controller.abort());

try {
  const scrambler = await createScrambler({ signal: controller.signal });
  const { scramble, moves, state } = await scrambler.scramble({ event: "444", effort: 7 });
  console.log(`${scramble} (${moves} moves)`);
  const { solution } = await scrambler.solve({ state });
  console.log(solution);
  await writeFile("scramble.svg", await scrambler.picture({ state }));
  await scrambler.solve({ scramble: process.argv[2] ?? "Rw U2 F'" }).catch((error) => {
    if (!(error instanceof RangeError)) throw error;
    console.log(error.message);
  });
  scrambler.terminate();
} catch (error) {
  if (error.name !== "AbortError") throw error;
  console.log("stopped");
}
