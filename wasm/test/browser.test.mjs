// The package in Chromium: a page runs page.js, which uses the package and reports the results.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { facelets } from "./stickers.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const names = ["chromium", "chromium-browser", "google-chrome"];
const chromium = names.find((name) => spawnSync(name, ["--version"]).status === 0);
const types = { ".js": "text/javascript", ".wasm": "application/wasm" };
const page = '<!doctype html><title>test</title><script type="module" src="test/page.js"></script>';

/** Serves the page and the files of the package. Calls `report` with what the page posts. */
function serve(report) {
  return createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    // The strictest policy that docs/web.md says is enough.
    response.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
    if (request.method === "POST") {
      let body = "";
      for await (const part of request) body += part;
      response.end();
      report(JSON.parse(body));
    } else if (pathname === "/") {
      response.setHeader("Content-Type", "text/html").end(page);
    } else {
      try {
        const file = await readFile(join(root, normalize(pathname)));
        response.setHeader("Content-Type", types[extname(pathname)]).end(file);
      } catch {
        response.writeHead(404).end();
      }
    }
  });
}

test("a page makes scrambles and stays responsive", { skip: !chromium && "there is no Chromium", timeout: 300_000 }, async () => {
  const profile = mkdtempSync(join(tmpdir(), "scramble444-"));
  let server;
  let browser;
  try {
    const report = await new Promise((resolve, reject) => {
      server = serve(resolve).listen(0, "127.0.0.1", () => {
        const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        const address = `http://127.0.0.1:${server.address().port}/`;
        browser = spawn(chromium, [...flags, `--user-data-dir=${profile}`, address], { stdio: "ignore" });
        browser.on("exit", (code) => reject(new Error(`Chromium ended with ${code}`)));
      });
    });
    assert.equal(report.failed, undefined);
    assert.ok(report.progress.length > 10);
    for (const { scramble, state } of report.scrambles) assert.equal(facelets(scramble), state);
    assert.equal(report.scrambles.length, 10);
    // The timer ticks far more often, but not at all if the search runs in the page's own thread.
    assert.ok(report.whileStarting >= 10, `${report.whileStarting} ticks`);
    assert.ok(report.whileScrambling >= 10, `${report.whileScrambling} ticks`);
    assert.equal(report.refused, "event must be 444 or 444bf");
    assert.equal(report.terminated, "the scrambler has been terminated");
  } finally {
    browser?.removeAllListeners("exit");
    if (browser?.exitCode === null) await new Promise((ended) => browser.on("exit", ended).kill());
    server?.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
