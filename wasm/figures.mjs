// Measures what README.md says about memory and stopping: `node figures.mjs`, after `./build.sh`.

import { setTimeout as sleep } from "node:timers/promises";
import { createScrambler } from "scramble444";

const megabytes = () => Math.round(process.memoryUsage().rss / 1e6);
const memory = [megabytes()];
let scrambler;
for (let count = 0; count < 2; count += 1) {
  scrambler = await createScrambler();
  await scrambler.scramble();
  memory.push(megabytes());
}
console.log(`MB of memory without, with one and with two scramblers: ${memory}`);

const times = [];
for (let count = 0; count < 11; count += 1) {
  const controller = new AbortController();
  const stopped = scrambler.scramble({ effort: 10, subset: "last-layer", signal: controller.signal }).catch(() => {});
  await sleep(50);
  const start = performance.now();
  controller.abort();
  await Promise.all([stopped, scrambler.scramble()]);
  times.push(Math.round(performance.now() - start));
}
console.log(`milliseconds from stopping to the next scramble: ${times.sort((one, other) => one - other)}`);
