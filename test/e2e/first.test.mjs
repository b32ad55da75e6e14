// The first minutes of an owner: in by the link, a question without an answer, its fix; and a terms file that is refused. The server is the real one.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { axe } from "./axe.mjs";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const run = (...args) => promisify(execFile)(process.env.FRONTDESK_BINARY, args);

let browser, desk, folder, config;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  config = join(folder, "frontdesk.yaml");
  await writeFile(join(folder, "shop.json"), JSON.stringify([
    { "@type": "Product", url: "https://www.sofas.example/oslo", name: "Sofa Oslo", description: "A sofa for three." },
    { "@type": "Product", url: "https://www.sofas.example/lamp", name: "Lamp Lund", description: "A lamp of brass." },
  ]));
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: sofas, name: Sofas, url: https://www.sofas.example}
sources: [{path: shop.json}]
terms: [{match: {}, access: open}]
`);
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
});
after(async () => { await browser?.close(); await desk?.stop(); await rm(folder, { recursive: true, force: true }); });

// looked looks at a page for axe, and for whether it fits, on a desk and a phone, in light and dark.
async function looked(p, name) {
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    await p.page.setViewportSize({ width, height: 900 });
    await p.page.emulateMedia({ colorScheme });
    assert.equal(await p.page.evaluate(() => document.documentElement.scrollWidth), width, `${name} at ${width}`);
    await axe(p.page, `${name} at ${width}, ${colorScheme}`);
    await p.picture(`first-${name}-${width}-${colorScheme}`, { fullPage: true });
  }
  await p.page.setViewportSize({ width: 1280, height: 900 });
}

// asks puts a question on the page on which people ask, and gives what is there then.
async function asks(p, text) {
  await p.page.goto(`${desk.url}/`);
  await p.asked(text);
  return p.page.locator("main").innerText();
}

let owner;

test("an owner comes in by the link, and fixes the first question in under a minute", async () => {
  const { stdout } = await run("console", "link", "--config", config);
  const path = /\/console\/begin#\S+/.exec(stdout)[0];
  const p = await open(browser, desk.url);
  owner = p;
  await p.page.goto(desk.url + path);
  await p.page.getByLabel("Your name").fill("Ana");
  await p.page.getByLabel(/time zone/i).fill("Europe/Berlin");
  await p.press(p.page.getByRole("button", { name: "Go on" }));
  assert.match(await p.page.locator("main code").innerText(), /^fd_/);
  await p.press(p.page.getByRole("link", { name: "I have copied it: go to Home" }));
  await p.page.getByRole("heading", { name: /Get started/ }).waitFor();
  await looked(p, "home-empty");
  await p.page.goto(`${desk.url}/console/tuning`);
  await looked(p, "tuning-empty");

  const began = Date.now();
  assert.doesNotMatch(await asks(p, "Kanapee"), /Sofa Oslo/);
  const fix = p.page.getByRole("row", { name: /Kanapee/ }).getByRole("link", { name: "Fix" });
  for (let tries = 0; tries < 50 && !await fix.count(); tries++) { // it is kept a moment later
    await p.page.waitForTimeout(100);
    await p.page.goto(`${desk.url}/console/questions?view=found_nothing`);
  }
  await looked(p, "questions");
  await p.press(fix);
  await p.page.getByLabel("Words that visitors say, one a line").fill("Kanapee");
  await p.page.getByLabel("mean", { exact: true }).fill("Sofa");
  await p.press(p.page.getByRole("button", { name: "See what it would do" }));
  assert.match(await p.page.locator("#effect").locator("..").innerText(), /Sofa Oslo/);
  await looked(p, "fix");
  await p.press(p.page.getByRole("button", { name: "Save and use now" }));
  await p.page.getByRole("cell", { name: /Kanapee/ }).first().waitFor();
  assert.match(await asks(p, "Kanapee"), /Sofa Oslo/);
  assert.ok(Date.now() - began < 60_000, `it took ${Date.now() - began} ms`);

  await p.page.goto(`${desk.url}/console/tuning`);
  await looked(p, "tuning");
  const file = await p.page.request.get(`${desk.url}/console/tuning.csv?q=kanapee`);
  assert.match(await file.text(), /synonym,.*Kanapee,Sofa,/i);
});

test("a terms file that is refused is told on Home, and the old terms stay", async () => {
  const p = owner;
  const good = await readFile(config, "utf8");
  await writeFile(config, good.replace("access: open", "access: opne"));
  const alert = p.page.getByText(/The changed configuration was refused/);
  for (let tries = 0; tries < 100 && !await alert.count(); tries++) {
    await p.page.waitForTimeout(100);
    await p.page.goto(`${desk.url}/console/`);
  }
  assert.match(await p.page.locator(".alerts").innerText(), /opne/);
  await looked(p, "home-refused");
  assert.match(await asks(p, "lamp"), /Lamp Lund/, "the old terms stay");
  await writeFile(config, good);
  for (let tries = 0; tries < 100; tries++) {
    await p.page.goto(`${desk.url}/console/`);
    if (!await alert.count()) break;
    await p.page.waitForTimeout(100);
  }
  assert.equal(await alert.count(), 0, "the file is right again");
  await p.check();
});
