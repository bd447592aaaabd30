// Compares the first scramble of the 4x4x4 in a browser without a service, by cubing.js, csTimer and this package:
//
//     ./build.sh && npm i --no-save cubing@0.63.4 cstimer_module@0.1.5 && node first.mjs [VISITS]
//
// Each visit has a new profile of Chromium, so nothing is cached, and the makers take turns. Times run from the start of
// the navigation to the scramble. cubing.js and csTimer are served as in their packages; they search in workers.

import { loadavg } from "node:os";
import { readFile } from "node:fs/promises";
import { files, reportOf } from "./test/chromium.mjs";

const visits = Number(process.argv[2] ?? 5);
const root = new URL(".", import.meta.url).pathname;
const makers = {
  scramble444: `import { createScrambler } from "/js/browser.js";
    const { scramble } = await (await createScrambler()).scramble();`,
  "cubing.js": `import { randomScrambleForEvent } from "/node_modules/cubing/dist/lib/cubing/scramble/index.js";
    const scramble = (await randomScrambleForEvent("444")).toString();`,
  csTimer: `const worker = new Worker("/node_modules/cstimer_module/cstimer_module.js");
    worker.postMessage([1, "scramble", ["444wca", 0]]);
    const scramble = await new Promise((done) => (worker.onmessage = ({ data }) => done(data[2])));`,
};

// Bundlers resolve these names.
const names = { "random-uint-below": "random-uint-below/dist/esm/index.js" };
for (const part of ["alg", "puzzles", "kpuzzle", "search", "scramble"]) {
  names[`cubing/${part}`] = `cubing/dist/lib/cubing/${part}/index.js`;
}
const serve = files(root);
const handle = (maker) => async (request, response) => {
  const path = request.url.split("?")[0];
  if (path === "/") {
    const report = `fetch("/report", { method: "POST", body: JSON.stringify([performance.now(), scramble]) });`;
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(`<!doctype html><script type="module">${makers[maker]} ${report}</script>`);
  } else if (path.includes("/cubing/") && path.endsWith(".js")) {
    const text = await readFile(root + path, "utf8");
    response.writeHead(200, { "Content-Type": "text/javascript" });
    response.end(text.replaceAll(/"(random-uint-below|cubing\/\w+)"/g, (_, name) => `"/node_modules/${names[name]}"`));
  } else {
    await serve(request, response);
  }
};

const measured = Object.fromEntries(Object.keys(makers).map((name) => [name, []]));
const before = loadavg()[0];
for (let visit = 0; visit < visits; visit += 1) {
  for (const [name, times] of Object.entries(measured)) {
    const [time, scramble] = await reportOf("/", handle(name));
    if (scramble.split(" ").length < 30) throw new Error(`${name}: ${scramble}`);
    times.push(time);
  }
}
console.log(`| ${visits} visits each | median | minimum | maximum |\n|---|---|---|---|`);
for (const [name, times] of Object.entries(measured)) {
  const sorted = times.toSorted((one, other) => one - other).map((time) => `${(time / 1000).toFixed(1)} s`);
  console.log(`| ${name} | ${sorted[sorted.length >> 1]} | ${sorted[0]} | ${sorted.at(-1)} |`);
}
console.log(`The machine's load was ${before.toFixed(1)} before.`);
process.exit();
