// The package in Chromium: a page runs page.js, which uses the package and reports the results.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { files, listen, missing, reportOf } from "./chromium.mjs";
import { facelets } from "./stickers.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const options = { skip: missing, timeout: 300_000 };

/** Serves a page with a script, with this content security policy. */
function page(script, policy) {
  const html = `<!doctype html><title>test</title><script type="module" src="${script}"></script>`;
  const headers = { "Content-Security-Policy": policy };
  const others = files(root, headers);
  return (request, response) =>
    request.url === "/" ? response.writeHead(200, { ...headers, "Content-Type": "text/html" }).end(html) : others(request, response);
}

test("a page makes scrambles and stays responsive", options, async () => {
  // The strictest policy that wasm/README.md says is enough.
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
  const report = await reportOf("/", page("/test/page.js", policy));
  assert.equal(report.failed, undefined);
  assert.ok(report.progress.length > 10);
  for (const { scramble, state } of report.scrambles) assert.equal(facelets(scramble), state);
  assert.equal(report.scrambles.length, 10);
  // The timer ticks far more often, but not at all if the search runs in the page's own thread.
  assert.ok(report.whileStarting >= 10, `${report.whileStarting} ticks`);
  assert.ok(report.whileScrambling >= 10, `${report.whileScrambling} ticks`);
  assert.equal(report.refused, "event must be 444 or 444bf");
  assert.equal(report.terminated, "the scrambler has been terminated");
  // The second worker has the tables of the first.
  assert.deepEqual(report.kept, []);
  assert.equal(report.aborted, "AbortError");
});

test("the package may come from another origin", options, async () => {
  const { server, origin } = await listen(files(root, { "Access-Control-Allow-Origin": "*" }));
  const policy = `default-src 'self' ${origin}; script-src 'self' ${origin} 'wasm-unsafe-eval'; worker-src blob: ${origin}`;
  try {
    const report = await reportOf("/", page(`${origin}/test/scramble.js`, policy));
    assert.equal(report.failed, undefined);
    assert.equal(facelets(report.scramble), report.state);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
