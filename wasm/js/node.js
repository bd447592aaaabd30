import { Worker } from "node:worker_threads";

import { connect } from "./client.js";

export function createScrambler(options) {
  return connect(options, (receive, fail) => {
    // Without the flags of the process, of which some are for its own program, such as --input-type.
    const worker = new Worker(new URL("./node-worker.js", import.meta.url), { execArgv: [] });
    worker.on("message", receive);
    worker.on("error", fail);
    return worker;
  });
}
