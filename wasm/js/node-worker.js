import { readFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";

import { serve } from "./serve.js";

const binary = readFile(new URL("./engine_bg.wasm", import.meta.url));
parentPort.on(
  "message",
  serve((message) => parentPort.postMessage(message), { binary }),
);
