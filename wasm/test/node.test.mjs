// The package in Node.js. Needs what build.sh makes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

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

test("scrambles of a subset, padded ones and the default", async () => {
  const centers = [5, 6, 9, 10];
  const { scramble: training, state } = await scrambler.scramble({ subset: "wings", effort: 1 });
  assert.equal(facelets(training), state);
  for (const [index, face] of [..."URFDLB"].entries()) {
    for (const place of centers) assert.equal(state[16 * index + place], face);
  }
  const isPadded = ({ scramble }) => scramble.startsWith("R' U' F ") && scramble.endsWith(" R' U' F");
  const padded = await scrambler.scramble({ padded: true, effort: 1 });
  check(padded);
  assert.ok(isPadded(padded));
  assert.ok(!isPadded(await scrambler.scramble({ padded: false, effort: 1 })));
});

test("pictures show the stickers", async () => {
  const scramble = "Rw U2 F'";
  const state = facelets(scramble);
  const svg = await scrambler.picture({ scramble });
  assert.equal(await scrambler.picture({ state, format: "svg" }), svg);
  const named = { B: "0000ff", D: "ffff00", F: "00ff00", L: "ff8000", R: "ff0000", U: "ffffff" };
  const colors = (picture) => [...picture.matchAll(/<rect .*?fill="#(\w+)"/g)].map(([, color]) => color);
  assert.deepEqual(colors(svg).toSorted(), [...state].map((face) => named[face]).toSorted());
  const gray = await scrambler.picture({ state, scheme: "000,111,222,333,444,555" });
  assert.deepEqual(new Set(colors(gray)), new Set([..."012345"].map((digit) => digit.repeat(6))));
  for (const [scale, width, height] of [[undefined, 170, 128], [1, 170, 128], [3, 510, 384]]) {
    const png = Buffer.from(await scrambler.picture({ state, format: "png", scale }));
    assert.equal(png.toString("latin1", 0, 8), "\x89PNG\r\n\x1a\n");
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [width, height]);
  }
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

test("scrambles lead to a given state", async () => {
  const state = facelets("Rw U2 F' x Uw' L2 D Fw2 B R'");
  for (const event of [undefined, "444bf"]) {
    const made = await scrambler.scramble({ event, state, effort: 1 });
    assert.equal(facelets(made.scramble), made.state);
    if (event) assert.equal(made.state, state);
  }
});

test("a limit of time ends a search with what it has", async () => {
  const hurried = await scrambler.scramble({ effort: 10, timeout: 0 });
  check(hurried);
  assert.equal(hurried.hurried, true);
  const scramble = "Rw U2 F' Uw' L2 D Fw2 B R' U Rw2 F Uw B2 L Fw D2 Rw' U2 Fw B' L2 Uw2";
  const solved = await scrambler.solve({ scramble, effort: 10, timeout: 0 });
  assert.ok(isSolved(facelets(`${scramble} ${solved.solution}`)));
  assert.equal(solved.hurried, true);
  assert.equal((await scrambler.scramble({ effort: 1, timeout: Infinity })).hurried, false);
});

test("errors have the caller in their stacks", async () => {
  async function caller() {
    return await scrambler.solve({ scramble: "Q" });
  }
  const { stack } = await caller().catch((error) => error);
  assert.match(stack, /at async caller \(.*node\.test\.mjs/);
  assert.doesNotMatch(stack, /wasm:|serve\.js/);
});

test("errors say what is allowed", async () => {
  const { state } = await scrambler.solve({ scramble: "" });
  const effort = "a level of effort is a whole number from 1 to 10";
  const scale = "the scale of a picture must be a whole number from 1 to 8";
  const subset = "subset must be centers, wings, reduced, last-layer, pll or last-eight-edges";
  const either = "give either scramble or state";
  const milliseconds = "timeout must be a number of milliseconds, 0 or more";
  const names = "event, subset, padded, state, effort, timeout, signal";
  for (const [method, options, name, message] of [
    ["scramble", { event: "333" }, "RangeError", "event must be 444 or 444bf"],
    ["scramble", { event: null }, "TypeError", "event must be a string"],
    ["scramble", { event: new String("444") }, "TypeError", "event must be a string"],
    ["scramble", { subset: "oll" }, "RangeError", subset],
    ["scramble", { subset: "pll", padded: true }, "RangeError", "give either subset or padded"],
    ["scramble", { event: "444bf", padded: true }, "RangeError", "subset and padded are only for event 444"],
    ...[0, 11, 260, 2.5, -1, NaN].map((level) => ["scramble", { effort: level }, "RangeError", effort]),
    ["scramble", { padded: "no" }, "TypeError", "padded must be a boolean"],
    ...["4", 4n, null].map((level) => ["scramble", { effort: level }, "TypeError", "effort must be a number"]),
    ...[-1, NaN].map((timeout) => ["scramble", { timeout }, "RangeError", milliseconds]),
    ["scramble", { state, padded: true }, "RangeError", /^state cannot/],
    ["scramble", { state: "U" }, "RangeError", /96/],
    ["scramble", { state: "U".repeat(1e6) }, "RangeError", "state has 1000000 characters; at most 100000 are allowed"],
    ["scramble", { level: 4 }, "TypeError", `unknown option level: use ${names}`],
    ...["444", null, [], new Date(), new Map(), () => 4].map((options) => [
      "scramble", options, "TypeError", `options must be an object with ${names}`,
    ]),
    ["scramble", { signal: new AbortController() }, "TypeError", "signal must be an AbortSignal"],
    ["solve", undefined, "TypeError", either],
    ["solve", { scramble: "R", state }, "TypeError", either],
    ["solve", { scramble: "R Q" }, "RangeError", /"Q"/],
    ["solve", { state: state.slice(1) }, "RangeError", /96/],
    ["solve", { state: `R${state.slice(1)}` }, "RangeError", /R/],
    ["solve", { scramble: "R", effort: 11 }, "RangeError", effort],
    ["solve", { scramble: "R", event: "444" }, "TypeError", /^unknown option event: use scramble, state, effort, timeout/],
    ["solve", { scramble: ["R", "U"] }, "TypeError", "scramble must be a string"],
    ["picture", {}, "TypeError", either],
    ["picture", { scramble: "Q", format: "gif" }, "RangeError", /"Q"/],
    ["picture", { scramble: "R", format: "gif", scheme: "red" }, "RangeError", "the format of a picture must be svg or png"],
    ["picture", { scramble: "R", scheme: "red", scale: 9 }, "RangeError", /a scheme has six colors/],
    ...[0, 9, 1.5].map((number) => ["picture", { scramble: "R", scale: number }, "RangeError", scale]),
    ["picture", { scramble: "R", scale: 2 }, "RangeError", "scale is only for png"],
  ]) {
    await assert.rejects(scrambler[method](options), { name, message }, `${method} ${inspect(options)}`);
  }
  for (const [options, message] of [
    [{ progress() {} }, "unknown option progress: use onProgress, signal, worker"],
    [null, "options must be an object with onProgress, signal, worker"],
    [{ onProgress: 5 }, "onProgress must be a function"],
    [{ worker: "worker.js" }, "worker must be a function"],
    [{ signal: new AbortController() }, "signal must be an AbortSignal"],
    [{ signal: null }, "signal must be an AbortSignal"],
  ]) {
    await assert.rejects(createScrambler(options), { name: "TypeError", message });
  }
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

test("a signal stops one request, and the scrambler goes on", async () => {
  const { exits, options } = abortable();
  const other = await createScrambler({ worker: options.worker });
  const [first, second] = [new AbortController(), new AbortController()];
  const answers = [];
  const keep = (name) => () => answers.push(name);
  const searching = other.scramble({ effort: 10, signal: first.signal }).catch(keep("first"));
  const waiting = other.scramble({ effort: 10, signal: second.signal }).catch(keep("second"));
  const last = other.scramble({ effort: 1 });
  last.then(keep("last"));
  // In the middle of the search, if the worker has begun it.
  await sleep(20);
  second.abort();
  first.abort();
  await Promise.all([searching, waiting]);
  check(await last);
  assert.deepEqual(answers, ["second", "first", "last"]);
  assert.deepEqual([listeners(first), listeners(second)], [0, 0]);
  await assert.rejects(other.solve({ scramble: "R", signal: first.signal }), aborted);
  // What is stopped does not stop or hurry the next one, and answers that come late have no effect.
  for (let round = 0; round < 20; round += 1) {
    const controller = new AbortController();
    const stopped = other.scramble({ effort: 5, signal: controller.signal });
    setTimeout(() => controller.abort(), 3 * round);
    const next = other.scramble({ effort: 2 });
    await stopped.then(check, (error) => assert.equal(error.name, "AbortError"));
    check(await next);
    assert.equal((await next).hurried, false);
  }
  assert.equal(exits.length, 1);
  other.terminate();
});

test("a worker ends its search when shared memory says so", async (context) => {
  const worker = new Worker(new URL("../js/node-worker.js", import.meta.url));
  context.after(() => worker.terminate());
  const stopped = new Int32Array(new SharedArrayBuffer(4));
  const ask = async (method, ...parameters) => {
    worker.postMessage({ number: 1, method, parameters });
    for (;;) {
      const [{ number, answer }] = await once(worker, "message");
      if (number === 1) return answer;
    }
  };
  await ask("start", stopped);
  for (const is of [1, 0]) {
    Atomics.store(stopped, 0, is);
    const { hurried } = await ask("scramble", undefined, undefined, undefined, undefined, "6");
    assert.equal(hurried, Boolean(is));
  }
});

test("a request that is stopped says so in shared memory, until the next one begins", async () => {
  const sent = [];
  const connecting = connect({}, (receive) => ({
    postMessage({ number, method, parameters }) {
      const [stopped] = sent[0]?.parameters ?? parameters;
      sent.push({ method, parameters, stopped: Atomics.load(stopped, 0), answer: () => receive({ number, answer: {} }) });
      if (method === "start") queueMicrotask(sent[0].answer);
    },
    terminate() {},
  }));
  const other = await connecting;
  const controller = new AbortController();
  const first = other.scramble({ signal: controller.signal });
  const second = other.solve({ scramble: "R" });
  controller.abort();
  await assert.rejects(first, aborted);
  // The worker has not answered yet.
  assert.deepEqual([sent.length, Atomics.load(sent[0].parameters[0], 0)], [2, 1]);
  sent[1].answer();
  assert.deepEqual([sent.length, sent[2].method, sent[2].stopped], [3, "solve", 0]);
  sent[2].answer();
  await second;
});

test("a scrambler is disposable", async () => {
  const other = await createScrambler();
  other[Symbol.dispose]();
  await assert.rejects(other.scramble(), { message: "the scrambler has been terminated" });
});

/** Options with a signal, its controller, and the exits of workers started with them. */
function abortable() {
  const controller = new AbortController();
  const exits = [];
  const worker = () => {
    const started = new Worker(new URL("../js/node-worker.js", import.meta.url));
    exits.push(once(started, "exit"));
    return started;
  };
  return { controller, exits, options: { signal: controller.signal, worker } };
}

const listeners = ({ signal }) => getEventListeners(signal, "abort").length;
const aborted = { name: "AbortError" };

test("a signal that is aborted before starts no worker", async () => {
  const { controller, exits, options } = abortable();
  controller.abort();
  await assert.rejects(createScrambler(options), aborted);
  assert.deepEqual([exits.length, listeners(controller)], [0, 0]);
});

test("a signal ends a worker that starts", async () => {
  for (const reason of [undefined, new Error("unmounted"), null, ""]) {
    const { controller, exits, options } = abortable();
    const creating = createScrambler(options);
    controller.abort(reason);
    const thrown = await creating.catch((thrown) => thrown);
    assert.equal(thrown, controller.signal.reason);
    await exits[0];
    assert.equal(listeners(controller), 0);
  }
});

test("a signal ends a worker that makes tables", async () => {
  const { controller, exits, options } = abortable();
  let calls = 0;
  const onProgress = () => {
    calls += 1;
    controller.abort();
  };
  await assert.rejects(createScrambler({ ...options, onProgress }), aborted);
  await exits[0];
  assert.deepEqual([calls, listeners(controller)], [1, 0]);
});

test("a signal ends a worker that searches", async () => {
  const { controller, exits, options } = abortable();
  const other = await createScrambler(options);
  await other.scramble({ effort: 1 });
  const pending = [other.scramble({ effort: 10 }), other.picture({ scramble: "R" })];
  controller.abort();
  for (const request of [...pending, other.scramble()]) await assert.rejects(request, aborted);
  await exits[0];
  // The reason stays after the exit.
  await assert.rejects(other.scramble(), aborted);
  assert.equal(listeners(controller), 0);
});

test("a reason that is false ends a scrambler too", async () => {
  const { controller, options } = abortable();
  const other = await createScrambler(options);
  controller.abort(null);
  assert.equal(await other.scramble().catch((thrown) => thrown), null);
});

test("a worker that exits by itself, and an error of onProgress, end a scrambler", async () => {
  const exiting = () => new Worker("process.exit(3)", { eval: true });
  await assert.rejects(createScrambler({ worker: exiting }), { message: "the worker of scramble444 has exited with 3" });
  const { exits, options } = abortable();
  const onProgress = () => {
    throw new Error("no bar");
  };
  await assert.rejects(createScrambler({ ...options, onProgress }), { message: "no bar" });
  await exits[0];
});

test("a scrambler that has ended does not listen to its signal", async () => {
  const { controller, options } = abortable();
  const other = await createScrambler(options);
  assert.equal(listeners(controller), 1);
  other.terminate();
  assert.equal(listeners(controller), 0);
  controller.abort();
  await assert.rejects(other.scramble(), { message: "the scrambler has been terminated" });
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
        else queueMicrotask(() => fail({ receive, failed }, number));
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

test("a program ends when its last request has", () => {
  const program = `
    import { createScrambler } from "scramble444";
    const scrambler = await createScrambler();
    for (const effort of [1, 8, 8]) scrambler.scramble({ effort }).then(() => console.log("made"));`;
  const flags = ["--input-type=module", "--eval", program];
  const cwd = new URL("..", import.meta.url);
  assert.equal(execFileSync(process.execPath, flags, { cwd, encoding: "utf8", timeout: 60_000 }), "made\n".repeat(3));
});

test("the versions agree", () => {
  const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
  const { version } = JSON.parse(read("../package.json"));
  for (const manifest of ["../Cargo.toml", "../../Cargo.toml"]) {
    assert.equal(/^version = "(.*)"$/m.exec(read(manifest))[1], version);
  }
});
