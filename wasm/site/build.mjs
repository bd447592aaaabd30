// Puts the files of the site into target/site, where wasm-bindgen has put the engine. Other files there stay, and are no
// part of the site. The page is that of the service: its markup is changed only where it speaks of a service, and its
// module service.js is replaced.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { crc32, deflateSync } from "node:zlib";

const source = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (path) => readFileSync(source(path), "utf8");
const out = source("../target/site");
/** The files of the site. */
const files = ["assets/engine.js", "assets/engine_bg.wasm"];
function write(name, content) {
  writeFileSync(join(out, name), content);
  files.push(name);
}

const page = "../../src/http/routes/page/";
const scripts = readdirSync(source(page)).filter((name) => /\.(js|css)$/.test(name) && name !== "service.js");
for (const name of scripts) write(`assets/${name}`, read(page + name));
for (const name of ["browser-worker.js", "client.js", "serve.js", "storage.js"]) write(`assets/${name}`, read(`../js/${name}`));
write("assets/service.js", read("service.js"));

const engine = await import(pathToFileURL(join(out, "assets/engine.js")));
engine.initSync({ module: readFileSync(join(out, "assets/engine_bg.wasm")) });
const { max_effort, effort, ...settings } = JSON.parse(engine.settings());
const { version } = JSON.parse(read("../package.json"));

// The markup

// The mean length and the median of the processor time of each level, in Node.js beside other work.
const times = [30, 30, 30, 40, 50, 100, 130, 190, 410, 680];
const lengths = [44.8, 44.6, 44.5, 44.3, 43.9, 43.5, 42.9, 42.6, 42.2, 41.9];
const figures = lengths.map((moves, index) => `${moves} moves, ${times[index]} ms`).join(";");
const option = (level) => `<option value="${level}"${level === effort ? " selected" : ""}>${level}</option>`;
const levels = Array.from({ length: max_effort }, (_, index) => option(index + 1)).join("");
const methods = `<option data-levels="${figures}">reduction</option>`;
const values = { ...settings, version, methods, levels, max_count: 100, count: 5 };
const csp = [
  "default-src 'none'; style-src 'self'",
  "script-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'",
  "form-action 'self'; base-uri 'none'",
].join("; ");
const [light, dark] = [...read(`${page}app.css`).matchAll(/--back: (#\w+)/g)].map(([, color]) => color);
const head = `<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${dark}">
<link rel="manifest" href="manifest.webmanifest">
<link rel="apple-touch-icon" href="icon-192.png">
`;
const changes = [
  [/(?<=<meta charset="utf-8">\n)/, head],
  [/(?<=<p>This page needs JavaScript\.) .*?(?=<\/noscript>)/s, "</p>\n"],
  [/<a href="docs">.*?<\/a> <a href="openapi.json">.*?<\/a> /, ""],
];

let markup = read(`${page}index.html`);
for (const [place, text] of changes) {
  if (markup.split(place).length !== 2) throw new Error(`index.html must have this once: ${place}`);
  markup = markup.replace(place, text);
}
write("index.html", markup.replace(/\{(\w+)\}/g, (braces, name) => values[name] ?? braces));

// The icons: the front face of a scrambled cube, in the middle of a black square

const net = engine.picture("Uw' D' U B' L2 F' U Fw2 Uw");
const rects = [...net.matchAll(/<rect x="(\d+)" y="(\d+)" .*?fill="#(..)(..)(..)"/g)];
const colorAt = (x, y) => {
  const [, , , ...color] = rects.find((rect) => rect[1] == 44 + 10 * x && rect[2] == 44 + 10 * y);
  return color.map((channel) => parseInt(channel, 16));
};

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [data.length, crc32(body)].map((number) => Buffer.from(number.toString(16).padStart(8, "0"), "hex"));
  return Buffer.concat([length, body, sum]);
}

/** A square PNG of this size in pixels, whose face has a part of this size. */
function icon(size, face) {
  const sticker = face / 4;
  const start = (size - face) / 2;
  const gap = size / 128;
  /** The index of the sticker at a pixel in one direction; -1 between stickers. */
  const at = (pixel) => {
    const within = pixel + 0.5 - start;
    const rest = ((within % sticker) + sticker) % sticker;
    return within > 0 && within < face && rest > gap && rest < sticker - gap ? Math.floor(within / sticker) : -1;
  };
  const pixels = [...Array(size).keys()].map(at);
  const row = (y) => pixels.flatMap((x) => (x < 0 || y < 0 ? [0, 0, 0] : colorAt(x, y)));
  const lines = pixels.map((y) => Buffer.from([0, ...row(y)]));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  // 8 bits for each of red, green and blue.
  head.set([8, 2], 8);
  const data = deflateSync(Buffer.concat(lines), { level: 9 });
  const chunks = [chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

write("icon-192.png", icon(192, 184));
write("icon-512.png", icon(512, 488));
// Systems cut such icons to any shape, but show what is in a circle of 0.8 times their size.
write("maskable-512.png", icon(512, 288));

const png = (src, sizes, purpose) => ({ src, sizes, type: "image/png", purpose });
const manifest = {
  name: "scramble444",
  short_name: "scramble444",
  description: "Random-state scrambles for the 4x4x4 cube",
  start_url: "./",
  display: "standalone",
  background_color: light,
  theme_color: light,
  icons: [
    png("icon-192.png", "192x192", "any"),
    png("icon-512.png", "512x512", "any"),
    png("maskable-512.png", "512x512", "maskable"),
  ],
};
write("manifest.webmanifest", JSON.stringify(manifest, null, 2));

// The service worker

files.sort();
const hash = createHash("sha256");
for (const name of files) hash.update(`${name} `).update(readFileSync(join(out, name)));
const names = files.map((name) => (name === "index.html" ? "./" : name));
const worker = read("sw.js").replace("{names}", JSON.stringify(names)).replace("{hash}", hash.digest("hex").slice(0, 16));
write("sw.js", worker);
