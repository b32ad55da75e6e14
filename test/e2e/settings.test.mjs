// Settings in the owner's console: a contact is set and shown on the ask page, a mistake is told at its field, what the file sets is locked,
// a site is added as a source and removed, and a viewer changes nothing. The server is the real one, and so is the site that it reads.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const run = (...args) => promisify(execFile)(process.env.FRONTDESK_BINARY, args);

let browser, desk, folder, config, owner, viewer, site, address;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  config = join(folder, "frontdesk.yaml");
  site = createServer((req, res) => {
    if (req.url === "/robots.txt" || req.url === "/sitemap.xml") return res.writeHead(404).end();
    res.writeHead(200, { "Content-Type": "text/html" }).end("<title>Mending a lantern</title><main><h1>Mending a lantern</h1><p>A cracked lantern glass is changed within an hour.</p></main>");
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${site.address().port}/`;
  await writeFile(join(folder, "lamps.json"), JSON.stringify([{ "@type": "Article", url: "https://www.lamps.example/oil", name: "Trimming an oil lamp" }]));
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {name: Lamps, url: https://www.lamps.example}
sources: [{path: lamps.json}]
fetch: {allow: [127.0.0.1/32], interval: 1ms}
`);
  owner = (await run("console", "token", "Ana", "--role", "owner", "--config", config)).stdout;
  viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
});
after(async () => { await browser?.close(); await desk?.stop(); site?.close(); await rm(folder, { recursive: true, force: true }); });

// login opens the settings as the holder of a token.
async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  await p.press(p.page.getByRole("link", { name: "Settings" }));
  await p.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  return p;
}

// fits fails where a page is wider than a phone.
async function fits(page) {
  await page.setViewportSize({ width: 390, height: 800 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, page.url());
  await page.setViewportSize({ width: 1280, height: 900 });
}

for (const javaScriptEnabled of [true, false]) {
  test(`a contact is set${javaScriptEnabled ? "" : ", without a script"}`, async () => {
    const p = await login(owner, { javaScriptEnabled, expect: /status of 400/ });
    const { page } = p;
    const name = page.getByLabel("Name", { exact: true }), contact = page.getByLabel("Contact", { exact: true });
    assert.equal(await name.inputValue(), "Lamps");
    assert.equal(await name.isDisabled(), true, "what the file sets is locked");
    await page.getByText("Set in frontdesk.yaml, line 5").waitFor();
    await page.getByLabel("About", { exact: true }).fill("Oil & wicks");
    await contact.fill("the shop");
    await p.press(page.getByRole("button", { name: "Save" }));
    assert.match(await page.getByRole("alert").innerText(), /1 field has a mistake/);
    assert.equal(await contact.inputValue(), "the shop", "what was typed stays");
    assert.equal(await page.getByLabel("About", { exact: true }).inputValue(), "Oil & wicks");
    assert.match(await page.locator("[id='problem-console.contact']").innerText(), /mailto:/);
    await fits(page);
    await p.picture(`settings-mistake-${javaScriptEnabled}`, { fullPage: true });
    assert.equal((await (await fetch(desk.url)).text()).includes("Oil &amp; wicks"), false, "nothing is half saved");
    await contact.fill("mailto:shop@lamps.example");
    await p.press(page.getByRole("button", { name: "Save" }));
    await page.getByText("Saved.").waitFor();
    const asked = await (await fetch(desk.url)).text();
    assert.match(asked, /mailto:shop@lamps\.example/);
    assert.match(asked, /Oil &amp; wicks/);
    await fits(page);
    assert.match((await run("config", "print", config)).stdout, /contact: mailto:shop@lamps\.example +# store/);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download as YAML" }).click();
    assert.match(await readFile(await (await download).path(), "utf8"), /console:\n {2}about: "Oil & wicks"\n {2}contact: mailto:shop@lamps\.example/);
    for (const part of ["Languages", "Answers", "Sources", "Privacy", "Protocols", "Backup"]) {
      await p.press(page.getByRole("link", { name: part, exact: true }));
      await fits(page);
      await p.picture(`settings-${part.toLowerCase()}-${javaScriptEnabled}`, { fullPage: true });
    }
    await p.press(page.getByRole("link", { name: "Site", exact: true }));
    await page.getByLabel("About", { exact: true }).fill("");
    await contact.fill("");
    await p.press(page.getByRole("button", { name: "Save" }));
    await page.getByText("Saved.").waitFor();
    assert.doesNotMatch(await (await fetch(desk.url)).text(), /mailto:/);
    await p.check();
  });

  test(`a site is added as a source, and removed${javaScriptEnabled ? "" : ", without a script"}`, async () => {
    const p = await login(owner, { javaScriptEnabled });
    const { page } = p;
    await p.press(page.getByRole("link", { name: "Sources", exact: true }));
    await p.press(page.getByRole("link", { name: "Add a source" }));
    await page.getByLabel("Address", { exact: true }).fill(address);
    await p.press(page.getByRole("button", { name: "Look" }));
    await page.getByLabel("Name of the source").fill("lanterns");
    await fits(page);
    await p.press(page.getByRole("button", { name: "Read it from now on" }));
    await page.getByRole("heading", { level: 1, name: "lanterns" }).waitFor();
    let found;
    for (let tries = 0; tries < 100 && !found; tries++) {
      const answer = await fetch(`${desk.url}/ask`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"query":{"text":"mending a lantern"}}' });
      found = ((await answer.json()).results ?? []).find((r) => r.url === address);
      await page.waitForTimeout(200);
    }
    assert.ok(found, "what was added is found");
    await page.reload();
    await page.getByText("Remove this source").first().click();
    await p.press(page.getByRole("button", { name: "Remove this source" }));
    await page.getByRole("heading", { level: 1, name: "Content" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "lanterns" }).count(), 0);
    await p.check();
  });
}

test("a viewer sees the settings and changes nothing", async () => {
  const p = await login(viewer);
  await p.page.getByText("Only an owner changes settings.").waitFor();
  assert.equal(await p.page.getByLabel("Contact", { exact: true }).isDisabled(), true);
  assert.deepEqual(await p.page.getByRole("main").getByRole("button").allInnerTexts(), []);
  await p.check();
});
