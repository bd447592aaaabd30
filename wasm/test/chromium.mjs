// Pages in Chromium that post a report.

import { spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];
const chromium = names.find((name) => spawnSync(name, ["--version"]).status === 0);
const types = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** Why there are no pages; false if there are. */
export const missing = !chromium && "there is no Chromium";

/** Serves the files of a directory, with these headers. The address of a folder is that of its `index.html`. */
export function files(root, headers = {}) {
  return async (request, response) => {
    const pathname = new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html");
    try {
      const file = await readFile(join(root, normalize(pathname)));
      response.writeHead(200, { ...headers, "Content-Type": types[extname(pathname)] }).end(file);
    } catch {
      response.writeHead(404).end();
    }
  };
}

/** Starts a server on a free port of loopback. Returns it and its address. */
export async function listen(handle) {
  const server = createServer(handle);
  await new Promise((started) => server.listen(0, "127.0.0.1", started));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Opens a page, and returns what it posts to `/report` of a server. The server handles other requests by `handle`. The
 * page's address is `path` on the server, or what `path` returns for the server's origin. */
export async function reportOf(path, handle) {
  const profile = mkdtempSync(join(tmpdir(), "scramble444-"));
  let browser;
  let receive;
  const report = new Promise((resolve) => (receive = resolve));
  const { server, origin } = await listen(async (request, response) => {
    if (request.method !== "POST") return handle(request, response);
    let body = "";
    for await (const part of request) body += part;
    response.end();
    receive(JSON.parse(body));
  });
  try {
    const address = typeof path === "string" ? origin + path : await path(origin);
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
    browser = spawn(chromium, [...flags, `--user-data-dir=${profile}`, address], { stdio: "ignore", detached: true });
    const ended = new Promise((_, reject) => {
      browser.on("exit", (code) => reject(new Error(`Chromium ended with ${code}`)));
    });
    return await Promise.race([report, ended]);
  } finally {
    browser?.removeAllListeners("exit");
    if (browser?.exitCode === null) {
      const ended = new Promise((resolve) => browser.on("exit", resolve));
      // The whole process group: a helper process that outlives the browser goes on writing into the profile.
      process.kill(-browser.pid, "SIGKILL");
      await ended;
    }
    server.close();
    server.closeAllConnections();
    // A process that is still ending may write once more, which says nothing about the package under test.
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    } catch (error) {
      if (error.code !== "ENOTEMPTY") throw error;
    }
  }
}
