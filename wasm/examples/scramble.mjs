// Makes a scramble of the 4x4x4 cube, and solves and draws it or the scramble that is given. Ctrl-C stops early.
import { writeFile } from "node:fs/promises";
import { createScrambler } from "scramble444";

const controller = new AbortController();
process.once("SIGINT", () => controller.abort());

try {
  const scrambler = await createScrambler({ signal: controller.signal });
  const made = await scrambler.scramble({ event: "444", effort: 7 });
  console.log(`${made.scramble} (${made.moves} moves)`);

  const scramble = process.argv[2] ?? made.scramble;
  const { solution } = await scrambler.solve({ scramble, effort: 7 });
  console.log(solution);
  await writeFile("scramble.svg", await scrambler.picture({ scramble }));
  scrambler.terminate();
} catch (error) {
  if (error instanceof RangeError) console.error(error.message);
  else if (error.name === "AbortError") console.error("stopped");
  else throw error;
  process.exitCode = 1;
}
