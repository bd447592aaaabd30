import { connect } from "./client.js";

export function createScrambler(options) {
  return connect(options, (receive, fail) => {
    const worker = new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = ({ message }) => fail(new Error(message ?? "the worker of scramble444 cannot be loaded"));
    return worker;
  });
}
