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
  const pending = scrambler.scramble({ effort: 10 }).catch(message);
  scrambler.terminate();
  return { progress, scrambles, whileStarting, whileScrambling, refused, terminated: await pending };
}

const report = await run().catch((error) => ({ failed: String(error) }));
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
