import { Worker } from "node:worker_threads";

import { connect } from "./client.js";

export function createScrambler(options) {
  return connect(options, (receive, fail) => {
    const worker = new Worker(new URL("./node-worker.js", import.meta.url));
    worker.on("message", receive);
    worker.on("error", fail);
    return worker;
  });
}
