// Measures what README.md says about memory and stopping: `node figures.mjs`, after `./build.sh`.

import { setTimeout as sleep } from "node:timers/promises";
import { createScrambler } from "scramble444";

const memory = [process.memoryUsage().rss];
const scramblers = [];
for (let count = 0; count < 2; count += 1) {
  scramblers.push(await createScrambler());
  await scramblers.at(-1).scramble();
  memory.push(process.memoryUsage().rss);
}
const added = memory.slice(1).map((after, index) => `${Math.round((after - memory[index]) / 1e6)} MB`);
console.log(`memory of the first scrambler and of another: ${added.join(", ")}`);

const times = [];
for (let count = 0; count < 10; count += 1) {
  const controller = new AbortController();
  const long = scramblers[0].scramble({ effort: 10, subset: "last-layer", signal: controller.signal });
  await sleep(50);
  controller.abort();
  const start = performance.now();
  await long.catch(() => {});
  await scramblers[0].scramble();
  times.push(performance.now() - start);
}
const [median] = times.toSorted((one, other) => one - other).slice(5);
console.log(`from stopping to the next scramble: median ${Math.round(median)} ms`);
for (const scrambler of scramblers) scrambler.terminate();
