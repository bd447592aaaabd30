import { Worker } from "node:worker_threads";

import { UNLOADED, connect, scramblerForEvents } from "./client.js";

export function createScrambler(options) {
  return connect(options, (receive, fail) => {
    const worker = (options?.worker ?? startWorker)();
    worker.on("message", receive);
    worker.on("error", (cause) => fail(/MODULE_NOT_FOUND/.test(cause?.code) ? new Error(UNLOADED, { cause }) : cause));
    worker.on("exit", (code) => fail(new Error(`the worker of scramble444 has exited with ${code}`)));
    return worker;
  });
}

export const randomScrambleForEvent = scramblerForEvents(createScrambler);

function startWorker() {
  // The worker must not inherit the flags of the process: some, such as --input-type, are for its main script.
  try {
    return new Worker(new URL("./node-worker.js", import.meta.url), { execArgv: [] });
  } catch (cause) {
    // Bundlers for CommonJS leave out this module's address.
    throw new Error(UNLOADED, { cause });
  }
}
