// Keeps the tables in the browser's storage: one file of 18 MB for all pages of an origin. The tables have checksums and
// the identity of what they were made for, so those of another version are found out, and replaced. Without storage
// (it is blocked or full, or the page has no TLS) workers make their tables as if nothing was kept.

const CACHE = "scramble444 tables";
// The key; no page requests this address.
const KEY = "https://scramble444.invalid/tables";

/** The tables, if there are any. */
export async function read() {
  try {
    const found = await (await caches.open(CACHE)).match(KEY);
    return found && new Uint8Array(await found.arrayBuffer());
  } catch {
    return undefined;
  }
}

/** Replaces the tables by these parts of them. */
export async function write(parts) {
  try {
    await (await caches.open(CACHE)).put(KEY, new Response(new Blob(parts)));
  } catch {}
}
