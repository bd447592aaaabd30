// Compares scrambles of the 4x4x4 by cubing.js and by this program.
//
//     cargo build --release && npm i --no-save cubing@0.63.4 && node benches/rivals.mjs [COUNT]
//
// The program runs as a service with one worker and no buffer. The makers take turns. cubing.js is told not to make
// scrambles ahead, which would hide its time. Times are wall clock times and do not include the first scramble of each
// maker. Lengths are in outer block turns: each turn of a block counts as one,
// rotations do not count.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { randomScrambleForEvent } from "cubing/scramble";
import { setSearchDebug } from "cubing/search";

setSearchDebug({ logPerf: false, scramblePrefetchLevel: "none" });
const count = Number(process.argv[2] ?? 40);
const address = "127.0.0.1:4448";
const program = new URL("../target/release/scramble444", import.meta.url).pathname;
const flags = ["serve", "--listen", address, "--workers", "1", "--buffer", "0"];
const service = spawn(program, flags, { stdio: "ignore" });

async function ready() {
  for (;;) {
    try {
      const response = await fetch(`http://${address}/readyz`);
      // Until its tables are built, a method has small ones.
      const isDone = ({ status, tables }) => status === "ready" && tables !== "pocket";
      if (response.ok && (await response.json()).methods.every(isDone)) return;
    } catch {
      // The service does not listen yet.
    }
    await new Promise((done) => setTimeout(done, 200));
  }
}

async function ours(method, effort) {
  const path = `/v1/scrambles?method=${method}&effort=${effort}`;
  const response = await fetch(`http://${address}${path}`);
  return (await response.json()).scrambles[0].scramble;
}

const makers = {
  "cubing.js": async () => (await randomScrambleForEvent("444")).toString(),
  "reduction, effort 1": () => ours("reduction", 1),
  "reduction, effort 4": () => ours("reduction", 4),
  "five-stage, effort 4": () => ours("five-stage", 4),
};
const measured = Object.fromEntries(Object.keys(makers).map((name) => [name, { moves: [], millis: [] }]));
try {
  await ready();
  for (const make of Object.values(makers)) await make();
  for (let number = 0; number < count; number++) {
    for (const [name, make] of Object.entries(makers)) {
      const began = performance.now();
      const turns = (await make()).split(" ").filter((turn) => !"xyz".includes(turn[0]));
      measured[name].millis.push(performance.now() - began);
      measured[name].moves.push(turns.length);
    }
  }
  const resident = readFileSync(`/proc/${service.pid}/status`, "ascii").match(/VmRSS:\s+(\d+)/)[1] / 1024;
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const median = (list) => list.toSorted((one, other) => one - other)[list.length >> 1];
  console.log(`| ${count} scrambles each | moves | median |\n|---|---|---|`);
  for (const [name, { moves, millis }] of Object.entries(measured)) {
    console.log(`| ${name} | ${mean(moves).toFixed(2)} | ${median(millis).toFixed(0)} ms |`);
  }
  const node = process.memoryUsage().rss / 2 ** 20;
  console.log(`Memory: the service ${resident.toFixed(0)} MB, Node with cubing.js ${node.toFixed(0)} MB.`);
} finally {
  service.kill();
}
process.exit();
