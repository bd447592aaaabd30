// The site in Chromium and Firefox: what site/build.sh makes, in a sub-folder of a plain server, and without it. npm
// installs what drives the browsers, and the rules of accessibility.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";

import { files, listen } from "./chromium.mjs";
import { facelets, isSolved } from "./stickers.mjs";

const target = fileURLToPath(new URL("../target", import.meta.url));
const folder = join(target, "site-test");

/** Why there are no tests; false if there are. */
function install() {
  if (!existsSync(join(target, "site/sw.js"))) return "there is no target/site; site/build.sh makes it";
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const flags = ["install", "--silent", "--no-audit", "--no-fund", "puppeteer-core@25", "axe-core@4"];
  return spawnSync("npm", flags, { cwd: folder }).status !== 0 && "npm cannot install puppeteer-core and axe-core";
}

const skip = install();

/** The path of the first of these programs that exists. */
function installed(names) {
  const paths = (process.env.PATH ?? "").split(":");
  return names.flatMap((name) => paths.map((path) => join(path, name))).find((path) => existsSync(path));
}

/** Starts a browser. */
function launch(browser, executablePath) {
  const puppeteer = createRequire(join(folder, "package.json"))("puppeteer-core");
  const args = browser === "chrome" ? ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] : [];
  return puppeteer.launch({ browser, executablePath, args });
}

// These run in the page.

const count = () => document.querySelectorAll("#list li").length;
const notice = () => document.getElementById("notice").innerText.trim();
/** The turns and the picture of each scramble in the list. */
const listed = () =>
  [...document.querySelectorAll("#list .cube")].map((cube) => ({
    turns: cube.querySelector(".turns").textContent.trim().replace(/ +/g, " "),
    state: [...cube.querySelectorAll("rect")].map((sticker) => sticker.getAttribute("class")).join(""),
  }));
const violations = async () => {
  const { violations } = await axe.run(document);
  return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html)]);
};

/** Waits until an expression is true in the page, and returns its value. `waitForFunction` calls `Function` in the page,
 * which the content security policy forbids. */
async function until(page, expression, timeout = 60_000) {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await page.evaluate(expression);
    if (value) return value;
    if (Date.now() > end) throw new Error(`timeout: ${expression}`);
    await sleep(20);
  }
}

/** A visit to an address that shows this number of scrambles, and these. */
async function scrambled(visit, address, number) {
  const page = await visit(`${address}&count=${number}`);
  const isOff = 'document.getElementById("stop").ariaDisabled === "true"';
  await until(page, `(${count})() === ${number} && ${isOff}`, 120_000);
  const all = await page.evaluate(listed);
  assert.equal(all.length, number);
  for (const { turns, state } of all) assert.equal(facelets(turns), state);
  return { page, all };
}

async function answer(page, button) {
  await page.click(`#given button[value="v1/${button}"]`);
  await page.waitForSelector("#answer dl");
  return page.evaluate(() => document.getElementById("answer").innerText);
}

/** Serves the site, and starts a browser. Passes `use` what it needs; `visit` opens an address in a new tab. In a tab that
 * has had another page, or after one is closed, the engine often takes ten times as long in a controlled Firefox. */
async function withSite(browser, executablePath, use, serve = files(target)) {
  const { server, origin } = await listen(serve);
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  const running = await launch(browser, executablePath);
  const problems = [];
  try {
    const site = `${origin}/site/`;
    const visit = async (address) => {
      const page = await running.newPage();
      page.setDefaultTimeout(60_000);
      page.on("pageerror", ({ message }) => problems.push(message));
      page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(message.text()));
      page.on("request", (request) => {
        if (/^http/.test(request.url()) && !request.url().startsWith(site)) problems.push(request.url());
      });
      await page.evaluateOnNewDocument(() => {
        window.said = [];
        const listen = () => said.push(document.getElementById("notice")?.textContent);
        new MutationObserver(listen).observe(document, { subtree: true, childList: true });
      });
      await page.goto(address);
      return page;
    };
    await use({ site, visit, running, stop });
    assert.deepEqual(problems, []);
  } finally {
    await running.close();
    stop();
  }
}

async function check(browser, context, { site, visit, stop }) {
  const start = Date.now();
  let page = await visit(`${site}?count=1`);
  await until(page, 'document.querySelector("#notice progress:not([hidden])")?.value > 0');
  assert.equal(await page.evaluate(notice), "Making tables …");
  await until(page, `(${count})() === 1`);
  context.diagnostic(`${Date.now() - start} ms to the first scramble`);

  await scrambled(visit, `${site}?event=444&effort=1`, 20);
  const blind = await scrambled(visit, `${site}?event=444bf&effort=1`, 20);
  assert.ok(blind.all.some(({ turns }) => /[xyz]/.test(turns)));
  for (const { state } of (await scrambled(visit, `${site}?subset=last-layer&effort=1`, 3)).all) {
    const [, ...sides] = state.match(/.{16}/g);
    assert.ok(sides.every((side) => new Set(side.slice(4)).size === 1), state);
  }
  page = await visit(`${site}?count=100&effort=10`);
  await until(page, `(${count})() > 0`);
  await page.click("#stop");
  await until(page, `(${notice})().startsWith("Stopped: ")`);

  const turns = "Rw U2 F' Uw L Fw2 D";
  await page.type("[name=scramble]", turns);
  const [, solution] = /Solution\s+([^]*?)\s+Length/.exec(await answer(page, "solve"));
  assert.ok(isSolved(facelets(`${turns} ${solution}`.replace(/\s+/g, " "))));
  assert.match(await answer(page, "verify"), /In WCA notation\s+yes/);

  await page.evaluate(readFileSync(join(folder, "node_modules/axe-core/axe.min.js"), "utf8"));
  assert.deepEqual(await page.evaluate(violations), []);
  await page.click("[name=by][value=state]");
  await page.click("#solved");
  await page.click("[name=color][value=F]");
  await page.click("#net rect");
  await page.click('#given button[value="v1/verify"]');
  await page.waitForSelector("#position-notice .error");
  const flaw = await page.evaluate(() => document.getElementById("position-notice").innerText);
  assert.match(flaw, /^No corner is green, orange and blue\./);

  await page.click("#sheets summary");
  await page.type("#sheets [name=competition]", "Example <Open>");
  for (const name of ["letters", "cover", "duplex"]) await page.click(`#sheets [name=${name}]`);
  await page.select("#sheets [name=paper]", "letter");
  await page.evaluate(() => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      globalThis.file = blob;
      return make.call(URL, blob);
    };
  });
  const opened = new Promise((resolve) => page.once("popup", resolve));
  await page.click("#sheets .main");
  await (await opened).close();
  const [type, bytes] = await page.evaluate(async () => [file.type, [...new Uint8Array(await file.arrayBuffer())]]);
  assert.equal(type, "application/pdf");
  const text = Buffer.from(bytes).toString("latin1");
  assert.match(text, /^%PDF-.*%%EOF\n$/s);
  // The cover, the page of the set, and their backs, on Letter paper.
  assert.equal(text.match(/\/Type\/Page\//g).length, 4);
  assert.match(text, /\/MediaBox\[0 0 612 792\]/);
  const streams = [...text.matchAll(/\/Length (\d+)>>stream\n/g)].map((found) => {
    const start = found.index + found[0].length;
    return inflateSync(Buffer.from(bytes.slice(start, start + Number(found[1])))).toString("latin1");
  });
  // The letters on 96 stickers in each of seven pictures.
  assert.equal(streams.join("").match(/ S Q\n/g).length, 7 * 96);
  assert.deepEqual(await page.evaluate(violations), []);

  if (browser === "chrome") {
    const session = await page.createCDPSession();
    assert.deepEqual((await session.send("Page.getAppManifest")).errors, []);
    assert.deepEqual((await session.send("Page.getInstallabilityErrors")).installabilityErrors, []);
  }

  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  stop();
  page = await visit(`${site}?event=444`);
  await until(page, `(${count})() > 0`);
  await scrambled(visit, `${site}index.html?effort=2`, 5);
}

/** The site is replaced while it is open. */
async function update(browser, path) {
  let title = "old";
  const serve = async (request, response) => {
    const edits = { "/site/": ["<title>scramble444", `<title>${title}`], "/site/sw.js": [/(?<=const cache = .*})/, title] };
    const edit = edits[request.url];
    if (!edit) return files(target)(request, response);
    const name = join(target, request.url.replace(/\/$/, "/index.html"));
    const type = name.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(200, { "Content-Type": type }).end(readFileSync(name, "utf8").replace(...edit));
  };
  const use = async ({ site, visit, running }) => {
    const page = await visit(site);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    title = "new";
    await page.reload();
    assert.equal(await page.title(), "old");
    await until(page, "navigator.serviceWorker.ready.then(({ waiting }) => waiting !== null)");
    const offered = () => until(page, 'document.getElementById("version")?.checkVisibility()');
    await offered();
    await page.reload();
    await offered();
    const other = await running.newPage();
    await page.close();
    // The browser may take a moment to notice that the first page is closed.
    for (let tries = 0; tries < 20 && (await other.title()) !== "new"; tries += 1) {
      await other.goto("about:blank");
      await other.goto(site);
    }
    assert.equal(await other.title(), "new");
    const kept = async () => (await caches.keys()).filter((name) => !/ (tables|spare)$/.test(name)).length;
    assert.equal(await other.evaluate(kept), 1);
    title = "newest";
    await other.reload();
    const button = await other.waitForSelector("#version button");
    assert.equal(await other.title(), "new");
    await Promise.all([other.waitForNavigation(), button.click()]);
    assert.equal(await other.title(), "newest");
    assert.equal(await other.evaluate(kept), 1);
    await until(other, `(${count})() === 5`);
    assert.equal(await other.evaluate(() => document.getElementById("version")), null);
  };
  await withSite(browser, path, use, serve);
}

/** The tables outlive the page, and are replaced if they are not those that were kept. */
async function tables({ site, visit }) {
  // In the page: the first argument changes what is stored.
  const change = async (edit) => {
    const cache = await caches.open("scramble444 tables");
    const [key] = await cache.keys();
    const bytes = new Uint8Array(await (await cache.match(key)).arrayBuffer());
    if (edit === "damaged") bytes[bytes.length >> 1] ^= 1;
    // The first bytes have the version of the format.
    if (edit === "older") bytes[8] ^= 3;
    if (edit === "missing") await cache.delete(key);
    else await cache.put(key, new Response(edit === "truncated" ? bytes.slice(0, 5_000_000) : bytes));
    return bytes.length;
  };
  // The hash of what is stored, if there is something. The worker writes after its first answer.
  const hash = async () => {
    const found = await (await caches.open("scramble444 tables")).match("https://scramble444.invalid/tables");
    return found && new Uint8Array(await crypto.subtle.digest("SHA-256", await found.arrayBuffer())).join();
  };
  let page;
  const isMade = async () => {
    ({ page } = await scrambled(visit, `${site}?event=444`, 1));
    await until(page, `(${hash})()`);
    return page.evaluate(() => said.some((text) => text?.includes("Making tables")));
  };
  assert.equal(await isMade(), true);
  assert.equal(await isMade(), false);
  const bytes = await page.evaluate(change, "none");
  assert.ok(bytes > 17e6 && bytes < 19e6, `${bytes} bytes`);
  for (const edit of ["damaged", "older", "missing", "truncated"]) {
    await page.evaluate(change, edit);
    const bad = await page.evaluate(hash);
    assert.equal(await isMade(), true, edit);
    await until(page, `(${hash})().then((found) => found && found !== "${bad}")`);
  }
  assert.equal(await isMade(), false);
}

/** A visit begins with a scramble that the visit before has made and not shown. */
async function spare({ site, visit }) {
  const spare = async () => {
    const name = (await caches.keys()).find((name) => name.endsWith(" spare"));
    const found = name && (await (await caches.open(name)).match("https://scramble444.invalid/spare"));
    return found && (await found.json()).scramble.scramble;
  };
  let page;
  const kept = (before) => until(page, `(${spare})().then((spare) => spare !== "${before}" && spare)`);
  const shown = async (address) => {
    const visited = await scrambled(visit, address, 5);
    page = visited.page;
    return visited.all.map(({ turns }) => turns);
  };
  const sighted = `${site}?event=444`;
  let all = await shown(sighted);
  let next = await kept();
  assert.ok(!all.includes(next));
  all = await shown(sighted);
  assert.equal(all[0], next);
  next = await kept(next);
  assert.ok(!all.includes(next));
  const others = await shown(`${site}?event=444bf`);
  assert.ok(!others.includes(next));
  next = await kept(next);
  assert.equal((await shown(`${site}?event=444bf`))[0], next);
  await kept(next);
  const damage = async () => {
    const cache = await caches.open((await caches.keys()).find((name) => name.endsWith(" spare")));
    const [key] = await cache.keys();
    const found = await (await cache.match(key)).json();
    found.scramble.state = "U";
    await cache.put(key, Response.json(found));
  };
  await page.evaluate(damage);
  await shown(`${site}?event=444bf`);
}

for (const [browser, names] of [
  ["chrome", ["chromium", "chromium-browser", "google-chrome"]],
  ["firefox", ["firefox", "firefox-esr"]],
]) {
  const path = installed(names);
  const options = { skip: skip || (!path && `there is no ${names[0]}`), timeout: 300_000 };
  test(`the site in ${names[0]}`, options, (context) => withSite(browser, path, (opened) => check(browser, context, opened)));
  test(`tables of the site in ${names[0]}`, options, () => withSite(browser, path, tables));
  test(`a spare scramble of the site in ${names[0]}`, options, () => withSite(browser, path, spare));
  test(`a new version of the site in ${names[0]}`, options, () => update(browser, path));
}
