import { Worker } from "node:worker_threads";

import { connect } from "./client.js";

export function createScrambler(options) {
  return connect(options, (receive, fail) => {
    // The worker must not inherit the flags of the process: some, such as --input-type, are for its main script.
    const worker = new Worker(new URL("./node-worker.js", import.meta.url), { execArgv: [] });
    worker.on("message", receive);
    worker.on("error", fail);
    return worker;
  });
}
