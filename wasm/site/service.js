// The page's backend without a service: the engine in a worker. It exports what the module of the same name does that
// sends requests to a service.

import { open } from "./client.js";
import { Refused } from "./notice.js";

let engine;
// The notices that show how much of the tables is made.
const watching = new Set();

function show(notice, text, part) {
  notice.say(text);
  notice.show(part);
}

// Starts the engine, unless it runs.
function start() {
  const onProgress = (part) => watching.forEach((notice) => show(notice, "Making tables …", part));
  engine ??= open({ onProgress }, (receive, fail) => {
    const worker = new Worker(new URL("browser-worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = () => fail(new Error("the engine cannot be loaded"));
    return worker;
  });
  return engine;
}

// What `use` gets from the engine. After an error, the next request starts the engine anew.
async function withEngine(use, signal) {
  try {
    return await use(await start());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    engine = undefined;
    throw new Refused({ detail: error.message });
  }
}

function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

async function* scrambles(ask, { event, subset, effort, count }) {
  for (let made = 0; made < count; made += 1) {
    const [padded, state] = [false, undefined];
    const scramble = await ask("scramble", event, subset, padded, state, effort);
    yield { ...scramble, effort: Number(effort) };
  }
}

// sw.js removes what belongs to the site's old versions by the beginning of this name.
const CACHE = `scramble444 ${new URL(".", location)} spare`;
// The key; no page requests this address.
const KEY = "https://scramble444.invalid/spare";

// The scramble that an earlier visit has kept, if it has these settings. Only one page gets it.
async function takeSpare(settings) {
  try {
    const cache = await caches.open(CACHE);
    const kept = await (await cache.match(KEY)).json();
    const { scramble, moves, state } = kept.scramble;
    // Damaged ones are left out.
    const isSound = Number.isInteger(moves) && /^[URFDLB]{96}$/.test(state) && /^[\w' ]{9,}$/.test(scramble);
    if (isSound && kept.settings === settings && (await cache.delete(KEY))) return kept.scramble;
  } catch {}
}

// Begins with the spare scramble, which need not wait for the engine, and makes one for the next visit.
async function* beginWithSpare(load, ask, { count, ...parameters }) {
  const settings = JSON.stringify(parameters);
  const spare = await takeSpare(settings);
  if (spare) yield spare;
  await load();
  yield* scrambles(ask, { ...parameters, count: count - Boolean(spare) });
  // At high levels the next request would wait for it.
  if (parameters.effort > 4) return;
  const keep = async () => {
    const { value: scramble } = await scrambles(ask, { ...parameters, count: 1 }).next();
    await (await caches.open(CACHE)).put(KEY, Response.json({ settings, scramble }));
  };
  keep().catch(() => {});
}

async function report(ask, method, body) {
  const { scramble, state, effort } = JSON.parse(body);
  const document = JSON.parse(await ask(method, scramble, state, String(effort)));
  if (document.detail) throw new Refused(document);
  return { json: () => document };
}

async function fill(ask, body, { extras, effort }, notice) {
  const events = await ask("missing", body, extras);
  const made = [];
  for (const event of events) {
    for await (const { scramble } of scrambles(ask, { event, effort, count: 1 })) made.push(scramble);
    show(notice, "Scrambling …", made.length / events.length);
  }
  const file = await ask("fill", body, extras, made);
  return { text: () => file };
}

async function sheets(ask, body, form) {
  const file = await ask("sheets", body, JSON.stringify(form));
  return { blob: () => new Blob([file], { type: "application/pdf" }) };
}

// The answers to requests. What is wrong with a position is an answer of the engine, too.
const routes = {
  "v1/solve": (ask, body) => report(ask, "solutionReport", body),
  "v1/verify": (ask, body) => report(ask, "verdict", body),
  "v1/wcif": fill,
  print: sheets,
};

// Answers a request as soon as the engine has its tables.
export async function send(path, { body }, notice, signal) {
  const [route, query] = path.split("?");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const ask = (method, ...values) => withEngine(({ request }) => request(method, values, signal), signal);
  const load = async (then) => {
    notice.say("Loading …");
    watching.add(notice);
    try {
      await unlessAborted(withEngine(() => {}, signal), signal);
    } finally {
      watching.delete(notice);
    }
    notice.say(then);
  };
  if (route === "v1/scrambles") return beginWithSpare(() => load("Scrambling …"), ask, parameters);
  await load("");
  return routes[route](ask, body, parameters, notice);
}

// Yields the scrambles of a response as they are made.
export const lines = (scrambles) => scrambles;

// Says that a new version waits, and loads it when the user wants it.
function offer(version) {
  const line = document.createElement("p");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Load it" });
  button.addEventListener("click", () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    version.postMessage("activate");
  });
  line.id = "version";
  line.role = "status";
  line.append("A new version of this page is ready. ", button);
  document.querySelector("header").append(line);
}

// Keeps the page for visits without a network. Without TLS there are no service workers, except on the local machine,
// and browsers may block them.
async function install() {
  const registration = await navigator.serviceWorker.register("sw.js");
  const { waiting } = registration;
  if (waiting) return offer(waiting);
  registration.addEventListener("updatefound", () => {
    const version = registration.installing;
    version.addEventListener("statechange", () => {
      // The first version has nothing to replace.
      if (version.state === "installed" && registration.active) offer(version);
    });
  });
}

start();
install().catch(() => {});
