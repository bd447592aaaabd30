// Servers, and browsers that puppeteer drives. npm installs it, and the rules of accessibility.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const types = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** What npm has installed. */
export const folder = fileURLToPath(new URL("../target/browsers", import.meta.url));

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), '{ "private": true }');
const flags = ["install", "--silent", "--no-audit", "--no-fund", "puppeteer-core@25", "axe-core@4"];
const isInstalled = spawnSync("npm", flags, { cwd: folder }).status === 0;

/** A browser, the path of the first of its programs that exists, and why it cannot be driven; false if it can. */
function find(browser, names) {
  const paths = names.flatMap((name) => (process.env.PATH ?? "").split(":").map((path) => join(path, name)));
  const executablePath = paths.find((path) => existsSync(path));
  const missing = !executablePath && `there is no ${names[0]}`;
  return { name: names[0], browser, executablePath, missing: isInstalled ? missing : "npm cannot install puppeteer-core and axe-core" };
}

export const chromium = find("chrome", ["chromium", "chromium-browser", "google-chrome"]);
export const firefox = find("firefox", ["firefox", "firefox-esr"]);

/** Starts a browser. */
export function launch({ browser, executablePath }) {
  const puppeteer = createRequire(join(folder, "package.json"))("puppeteer-core");
  const args = browser === "chrome" ? ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] : [];
  return puppeteer.launch({ browser, executablePath, args });
}

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

/** Passes `use` the address of a server on a free port of loopback, and what stops it. */
export async function serving(handle, use) {
  const server = createServer(handle);
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  await new Promise((started) => server.listen(0, "127.0.0.1", started));
  try {
    return await use(`http://127.0.0.1:${server.address().port}`, stop);
  } finally {
    stop();
  }
}

/** Opens a page in Chromium, and returns what its script passes to `report`. */
export async function reportOf(address) {
  const running = await launch(chromium);
  try {
    const page = await running.newPage();
    let receive;
    const report = new Promise((resolve, reject) => {
      receive = resolve;
      page.on("pageerror", reject);
    });
    await page.exposeFunction("report", receive);
    await page.goto(address);
    return await report;
  } finally {
    await running.close();
  }
}
