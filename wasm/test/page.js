// The script of the page in browser.test.mjs: makes scrambles while a timer ticks, and posts a report.

import { createScrambler } from "../js/browser.js";

async function run() {
  let ticks = 0;
  setInterval(() => (ticks += 1), 10);
  const progress = [];
  const scrambler = await createScrambler({ onProgress: (done) => progress.push(done) });
  const whileStarting = ticks;
  const scrambles = [];
  for (let count = 0; count < 10; count += 1) {
    const event = count % 2 === 0 ? "444" : "444bf";
    scrambles.push(await scrambler.scramble({ event, effort: 6 }));
  }
  const whileScrambling = ticks - whileStarting;
  const message = (error) => error.message;
  const refused = await scrambler.scramble({ event: "333" }).catch(message);
  // The tables are written after the first answer.
  while ((await (await caches.open("scramble444 tables")).keys()).length === 0) await scrambler.scramble();
  const pending = scrambler.scramble({ effort: 10 }).catch(message);
  scrambler.terminate();
  const kept = [];
  (await createScrambler({ onProgress: (done) => kept.push(done) })).terminate();
  const controller = new AbortController();
  const aborted = createScrambler({ signal: controller.signal }).catch(({ name }) => name);
  controller.abort();
  return { progress, scrambles, whileStarting, whileScrambling, refused, kept, terminated: await pending, aborted: await aborted };
}

const report = await run().catch((error) => ({ failed: String(error) }));
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
