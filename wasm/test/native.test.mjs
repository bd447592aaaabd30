// The package gives the same solutions as the native program. The variable SCRAMBLE444 is the program's path.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { createScrambler } from "scramble444";

const program = process.env.SCRAMBLE444 ?? fileURLToPath(new URL("../../target/release/scramble444", import.meta.url));
const skip = !existsSync(program) && `there is no ${program}`;

const scrambles = [
  "",
  "R",
  "Rw U2 F'",
  "Uw2 F2 Rw2 D2 R2 D2 Uw2 R2 L' Uw2 F2 R Rw2 Uw2 F2 L' D2 L' Fw2 U' D' B Uw2 Rw2 U Uw Fw' R' Rw' F B2 D2",
  "F2 Rw' D2 Fw2 U2 R D Uw' B' L2 Fw R2 Uw2 B Rw2 F' D' Rw' U2 L Fw' D2 Uw R' F2 U' Rw B2 L' Fw2 D Rw' x y'",
  "D' B2 Uw F Rw2 L' U2 Fw' R Uw2 B' D Rw F2 U' Fw2 L2 Uw' R2 D2 B Rw' U Fw R' Uw B2 L D' Fw2 Rw2 U2 F'",
  "U Fw R' Uw2 B Rw' D2 F' L Uw R2 Fw2 D B' Rw U2 L2 Fw' Uw' F D' R Rw2 B2 U' Fw L' D Uw2 F2 Rw' B D2 R",
];

test("solutions are those of the native program", { skip }, async () => {
  const scrambler = await createScrambler();
  for (const effort of [1, 4, 7]) {
    const flags = ["solve", "--method", "reduction", "--profile", "pocket", "--effort", String(effort), "--json", "-"];
    const printed = execFileSync(program, flags, { input: scrambles.join("\n"), encoding: "utf8" });
    const native = printed.trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(native.length, scrambles.length);
    for (const [index, { solution, state, length }] of native.entries()) {
      const found = await scrambler.solve({ scramble: scrambles[index], effort });
      assert.deepEqual(found, { solution, state, moves: length.obtm, hurried: false });
    }
  }
  scrambler.terminate();
});
