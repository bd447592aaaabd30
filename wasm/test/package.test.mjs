// The example and the types of the packed package, as a program sees them that npm has installed it for. The example
// also in Deno and Bun, where these exist.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { folder, install } from "./packed.mjs";
import { facelets, isSolved } from "./stickers.mjs";

const uninstalled = install();
const untyped = uninstalled || install("typescript@5.9", "@types/node@20");

const run = (program, ...flags) => spawnSync(program, flags, { cwd: folder, encoding: "utf8" });
const example = new URL("../examples/scramble.mjs", import.meta.url);

test("the example is short", () => {
  assert.ok(readFileSync(example, "utf8").trim().split("\n").length <= 30);
});

for (const [runtime, ...flags] of [[process.execPath], ["deno", "run", "--allow-read", "--allow-write"], ["bun"]]) {
  const skip = uninstalled || (run(runtime, "--version").status !== 0 && `there is no ${runtime}`);
  test(`the example in ${runtime}`, { skip }, () => {
    copyFileSync(example, join(folder, "scramble.mjs"));
    rmSync(join(folder, "scramble.svg"), { force: true });
    const { stdout, status } = run(runtime, ...flags, "scramble.mjs");
    const [, scramble, moves, solution] = /^(.*) \((\d+) moves\)\n(.*)\n$/.exec(stdout);
    assert.equal(scramble.split(" ").length, Number(moves));
    assert.ok(isSolved(facelets(`${scramble} ${solution}`)));
    assert.match(readFileSync(join(folder, "scramble.svg"), "utf8"), /^<svg .*<\/svg>\s*$/s);
    assert.equal(status, 0);
    const refused = run(runtime, ...flags, "scramble.mjs", "R Q");
    assert.match(refused.stderr, /^[^\n]*"Q"[^\n]*\n$/);
    assert.equal(refused.status, 1);
  });
}

test("strict types", { skip: untyped }, () => {
  const types = `
    import "scramble444/worker";
    import { createScrambler, randomScrambleForEvent, type Event, type Position, type Scramble, type Subset } from "scramble444";
    const { signal } = new AbortController();
    const scrambler = await createScrambler({ signal, onProgress: (done) => done.toFixed() });
    const [event, subset, effort]: [Event, Subset, number] = ["444", "pll", Number("6")];
    const made: Scramble = await scrambler.scramble({ event, subset, padded: false, effort });
    const position: Position = { state: made.state };
    const text: string = (await scrambler.solve({ ...position, effort })).solution + (await scrambler.picture(position));
    const format = text ? "svg" : "png";
    const either: string | Uint8Array = await scrambler.picture({ ...position, format });
    new Blob([await scrambler.picture({ scramble: text, format: "png", scale: 2, scheme: "f00" })]);
    export const turns: Promise<string> = randomScrambleForEvent(event);
    const found = await scrambler.scramble({ state: made.state, timeout: 500, signal, event: text ? event : undefined });
    export const isShorter: boolean = found.hurried && (await scrambler.solve({ ...position, timeout: 500, signal })).hurried;
    export async function once(): Promise<string> {
      using other = await createScrambler({ onProgress: undefined });
      return (await other.scramble()).scramble;
    }
    // @ts-expect-error
    scrambler.scramble({ event: "333" });
    // @ts-expect-error
    scrambler.solve({ effort });
    // @ts-expect-error
    scrambler.picture({ scramble: "R", scale: 2 });`;
  writeFileSync(join(folder, "types.mts"), types);
  for (const [module, way] of [["nodenext", "nodenext"], ["esnext", "bundler"]]) {
    const flags = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--noUncheckedSideEffectImports", "--target", "es2022", "--lib", "es2022,dom"];
    const { status, stdout } = run(process.execPath, "node_modules/typescript/bin/tsc", ...flags, "--module", module, "--moduleResolution", way, "types.mts");
    assert.equal(status, 0, `${way}: ${stdout}`);
  }
});
