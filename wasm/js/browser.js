import { UNLOADED, connect, scramblerForEvents } from "./client.js";

export function createScrambler(options) {
  return connect(options, (receive, fail) => {
    const worker = (options?.worker ?? startWorker)();
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = ({ message }) => fail(new Error(message ?? UNLOADED));
    return worker;
  });
}

export const randomScrambleForEvent = scramblerForEvents(createScrambler);

function startWorker() {
  const here = import.meta.url;
  // Bundlers that put other text here serve the worker themselves.
  const isForeign = /^https?:/.test(here) && new URL(here).origin !== location.origin;
  // Bundlers look for exactly this expression.
  if (!isForeign) return new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" });
  // A worker must come from the page's origin. What it imports may come from any.
  const address = new URL("./browser-worker.js", here).href;
  const script = new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script), { type: "module" });
}
