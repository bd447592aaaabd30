// Storage that is missing, blocked or full makes no difference to a worker.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { read, write } from "../js/storage.js";

afterEach(() => delete globalThis.caches);

const failure = async () => {
  throw new DOMException("blocked", "SecurityError");
};

for (const [name, caches] of [
  ["missing", undefined],
  ["blocked", { open: failure }],
  ["full or damaged", { open: async () => ({ match: failure, put: failure }) }],
]) {
  test(`storage that is ${name}`, async () => {
    globalThis.caches = caches;
    assert.equal(await read(), undefined);
    await write([new Uint8Array(3)]);
  });
}

test("what is written replaces what was there", async () => {
  const entries = new Map();
  const cache = { match: async (key) => entries.get(key)?.clone(), put: async (key, response) => entries.set(key, response) };
  globalThis.caches = { open: async () => cache };
  assert.equal(await read(), undefined);
  for (const parts of [[[1, 2], [3]], [[4]]]) {
    await write(parts.map((part) => Uint8Array.from(part)));
    assert.deepEqual([...(await read())], parts.flat());
  }
  assert.equal(entries.size, 1);
});
