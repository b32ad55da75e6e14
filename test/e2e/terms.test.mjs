// Terms & prices in the owner's console: rules that are refused with their line, what others would change, publishing them, and putting
// back those of the file. The server is the real one, and answers by the terms that are in force.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const run = (...args) => promisify(execFile)(process.env.FRONTDESK_BINARY, args);

let browser, desk, folder, config, owner, viewer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  config = join(folder, "frontdesk.yaml");
  await writeFile(join(folder, "lamps.json"), JSON.stringify([
    { "@type": "Article", url: "https://www.lamps.example/journal/oil", name: "Trimming an oil lamp", articleBody: "Trim the wick straight. A crooked wick smokes." },
    { "@type": "Article", url: "https://www.lamps.example/about", name: "About the lamp shop", articleBody: "We mend lamps since 1950." },
  ]));
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {name: Lamps, url: https://www.lamps.example}
sources: [{path: lamps.json}]
terms:
  - match: {}
    access: open
`);
  owner = (await run("console", "token", "Ana", "--role", "owner", "--config", config)).stdout;
  viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
});
after(async () => { await browser?.close(); await desk?.stop(); await rm(folder, { recursive: true, force: true }); });

// login opens the terms as the holder of a token.
async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  await p.press(p.page.getByRole("link", { name: "Terms & prices" }));
  await p.page.getByRole("heading", { level: 1, name: "Terms & prices" }).waitFor();
  return p;
}

// fits fails where a page is wider than a phone.
async function fits(page) {
  await page.setViewportSize({ width: 390, height: 800 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, page.url());
  await page.setViewportSize({ width: 1280, height: 900 });
}

// whole is what a stranger is answered of an open item.
const whole = "Trim the wick straight. A crooked wick smokes.|Trim the wick straight. A crooked wick smokes.";

// asked is what a stranger is answered.
async function asked() {
  const answer = await fetch(`${desk.url}/ask`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query: { text: "trim the wick of an oil lamp" } }),
  });
  const { articleBody = "", description } = (await answer.json()).results[0];
  return `${articleBody}|${description}`;
}

for (const javaScriptEnabled of [true, false]) {
  test(`publishing and putting back terms${javaScriptEnabled ? "" : ", without a script"}`, async () => {
    const p = await login(owner, { javaScriptEnabled, expect: /status of 400/ });
    const { page } = p;
    await page.getByText("The rules of frontdesk.yaml are in force.").waitFor();
    assert.match(await page.getByRole("main").innerText(), /Everything[^]*2 items: everybody sees all of it\.[^]*from frontdesk\.yaml, line 8/);
    assert.equal(await asked(), whole);
    await p.press(page.getByRole("link", { name: "Edit as YAML" }));
    await p.press(page.getByRole("link", { name: "Paid", exact: true }));
    const text = page.getByRole("textbox", { name: "Rules as YAML" });
    const paid = (await text.inputValue()).replace("/premium/**", "/journal/**").replace("words: 60", "words: 5");
    await text.fill(paid.replace("licensed", "licensd"));
    await p.press(page.getByRole("button", { name: "Check" }));
    assert.match(await page.getByRole("alert").innerText(), /line 3: terms\[0\]\.access: "licensd" is none of open, licensed, blocked/);
    assert.equal(await page.getByRole("button", { name: "Publish" }).count(), 0, "what is wrong cannot be published");
    await fits(page);
    await text.fill(paid);
    await p.press(page.getByRole("button", { name: "Check" }));
    const changes = page.getByRole("table", { name: "What changes" });
    assert.match(await changes.getByRole("row", { name: /^Access/ }).innerText(), /\/journal\/oil\s+open\s+title and excerpt\s+1/);
    assert.match(await page.getByRole("main").innerText(), /1 of 2 items changes[^]*everybody sees the title and 5 words; agents pay €0\.05 a read; no training\./);
    await fits(page);
    await p.picture(`terms-checked-${javaScriptEnabled}`, { fullPage: true });
    assert.equal(await asked(), whole, "nothing changes before it is published");
    await p.press(page.getByRole("button", { name: "Publish" }));
    await page.getByText(/published here, is in force/).waitFor();
    assert.equal(await asked(), "|Trim the wick straight. A …");
    await page.getByRole("textbox", { name: "Address of the item" }).fill("https://www.lamps.example/journal/oil");
    await p.press(page.getByRole("button", { name: "Show" }));
    assert.match(await page.getByRole("main").innerText(), /A stranger\s+sees the title and 5 words; agents pay €0\.05 a read/);
    await fits(page);
    await p.press(page.getByRole("link", { name: "History" }));
    await fits(page);
    await p.press(page.getByRole("link", { name: /^Version/ }).first());
    assert.match(await page.getByRole("main").innerText(), /What it changed[^]*title and excerpt/);
    await p.press(page.getByRole("link", { name: "Terms & prices" }));
    await p.press(page.getByRole("link", { name: "See the file’s rules, and put them back" }));
    await fits(page);
    await p.press(page.getByRole("button", { name: "Put back" }));
    await page.getByText("The rules of frontdesk.yaml are in force.").waitFor();
    assert.equal(await asked(), whole);
    await p.check();
  });
}

test("a viewer sees the terms and changes nothing", async () => {
  const p = await login(viewer);
  await p.press(p.page.getByRole("link", { name: "See as YAML" }));
  assert.equal(await p.page.getByRole("textbox", { name: "Rules as YAML" }).isEditable(), false);
  assert.deepEqual(await p.page.getByRole("main").getByRole("button").allInnerTexts(), []);
  await p.check();
});
