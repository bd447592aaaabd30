// The packed package, installed by npm in an empty folder beside other packages.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
mkdirSync(join(root, "target"), { recursive: true });
export const folder = mkdtempSync(join(root, "target/packed-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const npm = (cwd, ...flags) => spawnSync("npm", flags, { cwd, encoding: "utf8" });

/** Why the package or others cannot be installed; false if they are. */
export function install(...others) {
  const packed = npm(root, "pack", "--silent", "--pack-destination", folder);
  if (packed.error) return "there is no npm";
  assert.equal(packed.status, 0, packed.stderr);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const installed = npm(folder, "install", "--silent", "--no-audit", "--no-fund", packed.stdout.trim(), ...others);
  return installed.status !== 0 && `npm cannot install ${others.join(", ")}`;
}
