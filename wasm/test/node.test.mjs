// The package in Node.js. Needs what build.sh makes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { createScrambler, randomScrambleForEvent } from "scramble444";

import { connect, scramblerForEvents } from "../js/client.js";
import { facelets, isSolved } from "./stickers.mjs";

const reported = [];
let scrambler;
before(async () => {
  scrambler = await createScrambler({ onProgress: (done) => reported.push(done) });
});
after(() => scrambler.terminate());

const isRotation = (turn) => "xyz".includes(turn[0]);

function check({ scramble, moves, state }) {
  assert.equal(facelets(scramble), state);
  assert.equal(scramble.split(" ").filter((turn) => !isRotation(turn)).length, moves);
}

test("progress goes from 0 to 1", () => {
  assert.ok(reported.length > 10);
  assert.deepEqual(
    reported,
    reported.toSorted((one, other) => one - other),
  );
  assert.ok(reported[0] < 0.1 && reported.at(-1) > 0.9 && reported.at(-1) <= 1);
});

test("scrambles of all levels of effort lead to their states", async () => {
  const states = new Set();
  for (const effort of [undefined, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    const scramble = await scrambler.scramble({ effort });
    check(scramble);
    assert.ok(!scramble.scramble.split(" ").some(isRotation));
    states.add(scramble.state);
  }
  assert.equal(states.size, 11);
});

test("scrambles for blindfolded solving end in a random orientation", async () => {
  const endings = new Set();
  for (let count = 0; count < 12; count += 1) {
    const scramble = await scrambler.scramble({ event: "444bf", effort: 1 });
    check(scramble);
    endings.add(scramble.scramble.split(" ").filter(isRotation).join(" "));
  }
  assert.ok(endings.size > 2);
});

test("scrambles for an event need no scrambler", async () => {
  assert.match(await randomScrambleForEvent("444"), /^([URFDLB]w?[2']? ?){30,}$/);
  await assert.rejects(randomScrambleForEvent("333"), { message: "event must be 444 or 444bf" });
  let creations = 0;
  const forEvent = scramblerForEvents(async () => {
    creations += 1;
    if (creations === 1) throw new Error("offline");
    return { scramble: async ({ event }) => ({ scramble: `${event} ${creations}` }) };
  });
  await assert.rejects(forEvent("444"), { message: "offline" });
  assert.deepEqual([await forEvent("444"), await forEvent("444bf")], ["444 2", "444bf 2"]);
});

test("solutions solve scrambles and states", async () => {
  const scramble = "Rw U2 F' x Uw' L2 D Fw2 B R' U Rw2 F";
  const state = facelets(scramble);
  for (const given of [{ scramble }, { state }]) {
    const found = await scrambler.solve({ ...given, effort: 2 });
    assert.equal(found.state, state);
    assert.ok(isSolved(facelets(`${scramble} ${found.solution}`)));
    assert.equal(found.solution.split(" ").length, found.moves);
  }
  const { solution, moves } = await scrambler.solve({ scramble: "" });
  assert.deepEqual({ solution, moves }, { solution: "", moves: 0 });
});

test("errors say what is allowed", async () => {
  const { state } = await scrambler.solve({ scramble: "" });
  for (const [method, options, message] of [
    ["scramble", { event: "333" }, /^event must be 444 or 444bf$/],
    ["scramble", { event: null }, /^event must be 444 or 444bf$/],
    ["scramble", { effort: 0 }, /whole number from 1 to 10/],
    ["scramble", { effort: 260 }, /whole number from 1 to 10/],
    ["scramble", { effort: 2.5 }, /whole number from 1 to 10/],
    ["scramble", { level: 4 }, /^unknown option level: use event, effort$/],
    ["solve", {}, /either scramble or state/],
    ["solve", { scramble: "R", state }, /either scramble or state/],
    ["solve", { scramble: "R Q" }, /Q/],
    ["solve", { state: state.slice(1) }, /96/],
    ["solve", { state: `R${state.slice(1)}` }, /R/],
    ["solve", { scramble: "R", effort: 11 }, /whole number from 1 to 10/],
    ["solve", { scramble: "R", event: "444" }, /^unknown option event: use scramble, state, effort$/],
  ]) {
    await assert.rejects(scrambler[method](options), { message });
  }
  await assert.rejects(createScrambler({ progress() {} }), { message: "unknown option progress: use onProgress, worker" });
  check(await scrambler.scramble());
});

test("requests and scramblers may overlap", async () => {
  const creating = [createScrambler(), createScrambler()];
  (await Promise.all([1, 2, 3, 1].map((effort) => scrambler.scramble({ effort })))).forEach(check);
  const scramblers = await Promise.all(creating);
  (await Promise.all(scramblers.map((other) => other.scramble()))).forEach(check);
  for (const other of scramblers) other.terminate();
});

test("terminate rejects what is under way and what comes later", async () => {
  const other = await createScrambler();
  const pending = other.scramble({ effort: 10 });
  other.terminate();
  const ended = { message: "the scrambler has been terminated" };
  await assert.rejects(pending, ended);
  await assert.rejects(other.scramble(), ended);
  other.terminate();
});

test("a process ends although its scrambler is not terminated", () => {
  const program = `
    import { createScrambler } from "scramble444";
    const scrambler = await createScrambler();
    console.log((await scrambler.scramble()).scramble);`;
  const flags = ["--input-type=module", "--eval", program];
  const cwd = new URL("..", import.meta.url);
  const printed = execFileSync(process.execPath, flags, { cwd, timeout: 120_000, encoding: "utf8" });
  assert.ok(printed.split(" ").length > 30);
});

test("a failed worker rejects all requests", async () => {
  for (const fail of [
    ({ receive }, number) => receive({ number, error: new Error("trap"), fatal: true }),
    ({ failed }) => failed(new Error("trap")),
  ]) {
    let terminated = 0;
    const connected = connect({}, (receive, failed) => ({
      postMessage({ number, method }) {
        if (method === "start") queueMicrotask(() => receive({ number }));
        else if (method === "solve") queueMicrotask(() => fail({ receive, failed }, number));
      },
      terminate: () => (terminated += 1),
    }));
    const other = await connected;
    const requests = [other.scramble(), other.solve({ scramble: "R" })];
    for (const request of requests) await assert.rejects(request, { message: "trap" });
    await assert.rejects(other.scramble(), { message: "trap" });
    assert.ok(terminated > 0);
  }
});

test("the versions agree", () => {
  const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
  const { version } = JSON.parse(read("../package.json"));
  for (const manifest of ["../Cargo.toml", "../../Cargo.toml"]) {
    assert.equal(/^version = "(.*)"$/m.exec(read(manifest))[1], version);
  }
});
