// The packed package in Vite's development servers, and in bundles of Vite, webpack and esbuild, as README.md says. npm
// installs these tools.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { files, missing, reportOf } from "./chromium.mjs";
import { folder, install } from "./packed.mjs";
import { facelets } from "./stickers.mjs";

const vites = [5, 6, 7, 8];
const tools = [...vites.map((version) => `vite${version}@npm:vite@${version}`), "webpack@5", "esbuild@0.28"];
const skip = install(...tools, "react@19", "react-dom@19");

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

for (const format of ["esm", "cjs"]) {
  test(`a bundle in Node.js without the worker, ${format}`, { skip, timeout: 300_000 }, () => {
    write("server.js", `
      import { createScrambler } from "scramble444";
      createScrambler().catch((error) => console.log(error.message));`);
    const extension = { esm: ".mjs", cjs: ".cjs" }[format];
    const name = `server/main${extension}`;
    esbuild("server.js", "--platform=node", `--outfile=${name}`, `--format=${format}`, "--log-override:empty-import-meta=silent");
    const printed = execFileSync(process.execPath, [join(folder, name)], { encoding: "utf8" });
    assert.match(printed, /^the worker of scramble444 cannot be loaded; its README says how/);
  });
}

test("the hook of README in React's StrictMode", options, async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, hook] = /^```jsx\n(.*?)^```$/ms.exec(readme);
  write("hook.jsx", `${hook}
    import { StrictMode } from "react";
    import { createRoot } from "react-dom/client";
    const workers = [];
    const start = window.Worker;
    window.Worker = class extends start {
      constructor(...given) {
        super(...given);
        workers.push("runs");
        this.number = workers.length - 1;
      }
      terminate() {
        super.terminate();
        workers[this.number] = "ended";
      }
    };
    const post = (report) => fetch("/report", { method: "POST", body: JSON.stringify(report) });
    function Scramble() {
      const scrambler = useScrambler();
      useEffect(() => {
        scrambler?.scramble().then((made) => post({ ...made, workers }), (error) => post({ failed: String(error) }));
      }, [scrambler]);
    }
    createRoot(document.body).render(<StrictMode><Scramble /></StrictMode>);`);
  // In production effects run once.
  esbuild("hook.jsx", "--format=esm", "--outdir=react", "--jsx=automatic", '--define:process.env.NODE_ENV="development"');
  cpSync(join(folder, "node_modules/scramble444/js"), join(folder, "react"), { recursive: true });
  write("react/index.html", html.replace("page.js", "hook.js"));
  const report = await reportOf("/index.html", files(join(folder, "react")));
  check(report);
  assert.deepEqual(report.workers, ["ended", "runs"]);
});
