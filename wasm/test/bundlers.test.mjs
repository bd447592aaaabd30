// The packed package in Vite's development server and in bundles of esbuild, as README.md says. npm installs both tools.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { files, missing, reportOf } from "./chromium.mjs";
import { facelets } from "./stickers.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "target/bundlers");

/** Why the package cannot be installed; false if it is. */
function install() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const npm = (cwd, ...flags) => spawnSync("npm", flags, { cwd, encoding: "utf8" });
  const packed = npm(root, "pack", "--silent", "--pack-destination", folder);
  if (packed.error) return "there is no npm";
  assert.equal(packed.status, 0, packed.stderr);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const tools = ["vite@7", "esbuild@0.28"];
  const installed = npm(folder, "install", "--silent", "--no-audit", "--no-fund", packed.stdout.trim(), ...tools);
  return installed.status !== 0 && "npm cannot install Vite and esbuild";
}

const skip = install();

const write = (name, text) => writeFileSync(join(folder, name), text);
const esbuild = (...flags) => execFileSync("node_modules/.bin/esbuild", ["--bundle", "--log-level=error", ...flags], { cwd: folder });

/** A script that makes a scramble with these options and reports it. */
const page = (options) => `
  import { createScrambler } from "scramble444";
  const failed = (error) => ({ failed: String(error) });
  const report = await createScrambler(${options}).then((scrambler) => scrambler.scramble()).catch(failed);
  await fetch("/report", { method: "POST", body: JSON.stringify(report) });`;

function check({ failed, scramble, state }) {
  assert.equal(failed, undefined);
  assert.equal(facelets(scramble), state);
}

test("Vite's development server", { skip: skip || missing, timeout: 300_000 }, async () => {
  write("index.html", '<!doctype html><title>test</title><script type="module" src="page.js"></script>');
  write("page.js", page(""));
  write("vite.config.mjs", 'export default { optimizeDeps: { exclude: ["scramble444"] } };');
  let vite;
  try {
    const start = async (origin) => {
      const { createServer } = await import(join(folder, "node_modules/vite/dist/node/index.js"));
      const server = { host: "127.0.0.1", port: 0, proxy: { "/report": origin } };
      vite = await createServer({ root: folder, logLevel: "error", server });
      await vite.listen();
      return vite.resolvedUrls.local[0];
    };
    check(await reportOf(start));
  } finally {
    await vite?.close();
  }
});

test("a bundle of esbuild in a page", { skip: skip || missing, timeout: 300_000 }, async () => {
  const worker = 'new Worker("worker.js", { type: "module" })';
  write("page.js", page(`{ worker: () => ${worker} }`));
  esbuild("page.js", "worker=scramble444/worker", "--format=esm", "--outdir=web");
  copyFileSync(join(folder, "node_modules/scramble444/js/engine_bg.wasm"), join(folder, "web/engine_bg.wasm"));
  write("web/index.html", '<!doctype html><title>test</title><script type="module" src="page.js"></script>');
  check(await reportOf("/index.html", files(join(folder, "web"))));
});

for (const [format, here] of [
  ["esm", 'new URL("./worker.mjs", import.meta.url)'],
  ["cjs", '__dirname + "/worker.mjs"'],
]) {
  test(`a bundle of esbuild in Node.js, ${format}`, { skip, timeout: 300_000 }, () => {
    write("main.js", `
      import { Worker } from "node:worker_threads";
      import { createScrambler } from "scramble444";
      createScrambler({ worker: () => new Worker(${here}) })
        .then((scrambler) => scrambler.scramble())
        .then((made) => console.log(JSON.stringify(made)));`);
    const node = ["--platform=node", `--outdir=${format}`];
    const extension = { esm: ".mjs", cjs: ".cjs" }[format];
    esbuild("main.js", ...node, `--format=${format}`, `--out-extension:.js=${extension}`, "--log-override:empty-import-meta=silent");
    esbuild("worker=scramble444/worker", ...node, "--format=esm", "--out-extension:.js=.mjs");
    copyFileSync(join(folder, "node_modules/scramble444/js/engine_bg.wasm"), join(folder, format, "engine_bg.wasm"));
    check(JSON.parse(execFileSync(process.execPath, [join(folder, format, `main${extension}`)], { encoding: "utf8" })));
  });
}
