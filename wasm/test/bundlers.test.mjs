// The packed package in Vite's development servers, and in bundles of Vite, webpack and esbuild, as README.md says. npm
// installs these tools.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { files, missing, reportOf } from "./chromium.mjs";
import { facelets } from "./stickers.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
mkdirSync(join(root, "target"), { recursive: true });
const folder = mkdtempSync(join(root, "target/bundlers-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const vites = [5, 6, 7, 8];

/** Why the package cannot be installed; false if it is. */
function install() {
  const npm = (cwd, ...flags) => spawnSync("npm", flags, { cwd, encoding: "utf8" });
  const packed = npm(root, "pack", "--silent", "--pack-destination", folder);
  if (packed.error) return "there is no npm";
  assert.equal(packed.status, 0, packed.stderr);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const tools = [...vites.map((version) => `vite${version}@npm:vite@${version}`), "webpack@5", "esbuild@0.28"];
  const installed = npm(folder, "install", "--silent", "--no-audit", "--no-fund", packed.stdout.trim(), ...tools);
  return installed.status !== 0 && "npm cannot install Vite, webpack and esbuild";
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

const html = '<!doctype html><title>test</title><script type="module" src="page.js"></script>';
const options = { skip: skip || missing, timeout: 300_000 };

for (const version of vites) {
  const load = () => import(join(folder, `node_modules/vite${version}/dist/node/index.js`));
  const common = { root: folder, configFile: false, logLevel: "error" };

  test(`the development server of Vite ${version}`, options, async () => {
    write("index.html", html);
    write("page.js", page(""));
    let vite;
    try {
      const start = async (origin) => {
        const { createServer } = await load();
        const optimizeDeps = version < 8 ? { exclude: ["scramble444"] } : {};
        const server = { host: "127.0.0.1", port: 0, proxy: { "/report": origin } };
        vite = await createServer({ ...common, cacheDir: `cache${version}`, optimizeDeps, server });
        await vite.listen();
        return vite.resolvedUrls.local[0];
      };
      check(await reportOf(start));
    } finally {
      await vite?.close();
    }
  });

  test(`a bundle of Vite ${version}`, options, async () => {
    write("index.html", html);
    write("page.js", page(""));
    const { build } = await load();
    // The page awaits at its top level, which the default target of older versions does not have.
    await build({ ...common, build: { outDir: `built${version}`, target: "esnext" } });
    check(await reportOf("/index.html", files(join(folder, `built${version}`))));
  });
}

test("a bundle of webpack", options, async () => {
  write("page.js", page(""));
  const webpack = createRequire(join(folder, "package.json"))("webpack");
  const output = { path: join(folder, "webpack"), filename: "page.js" };
  const compiler = webpack({ context: folder, mode: "production", entry: "./page.js", output });
  const stats = await promisify(compiler.run.bind(compiler))();
  assert.ok(!stats.hasErrors(), stats.toString());
  write("webpack/index.html", html);
  check(await reportOf("/index.html", files(join(folder, "webpack"))));
});

test("a bundle of esbuild in a page", options, async () => {
  const worker = 'new Worker("worker.js", { type: "module" })';
  write("page.js", page(`{ worker: () => ${worker} }`));
  esbuild("page.js", "worker=scramble444/worker", "--format=esm", "--outdir=web");
  copyFileSync(join(folder, "node_modules/scramble444/js/engine_bg.wasm"), join(folder, "web/engine_bg.wasm"));
  write("web/index.html", html);
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
