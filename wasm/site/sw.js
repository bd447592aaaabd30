// Keeps the site's files, so that it opens without a network. build.mjs inserts their names and a hash of their contents.

const NAMES = {names};
// The cache of this version. Other sites of the same origin have caches, too.
const own = `scramble444 ${registration.scope} `;
const cache = `${own}{hash}`;

addEventListener("install", (event) => {
  const requests = NAMES.map((name) => new Request(name, { cache: "no-cache" }));
  event.waitUntil(caches.open(cache).then((opened) => opened.addAll(requests)));
});

// A new version becomes active when no page of the old one is open, or when the user wants it.
addEventListener("message", ({ data }) => data === "activate" && skipWaiting());
addEventListener("activate", (event) => {
  const remove = (name) => name.startsWith(own) && name !== cache && caches.delete(name);
  event.waitUntil(caches.keys().then((names) => Promise.all(names.map(remove))));
});

addEventListener("fetch", (event) => {
  const address = event.request.url.replace(/(index\.html)?([?#].*)?$/, "");
  const opened = caches.open(cache).then((cache) => cache.match(address));
  event.respondWith(opened.then((found) => found ?? fetch(event.request)));
});
