// The owner's pages on visitors: an agent comes, is blocked and let in again, and a viewer changes nothing. The server is the real one.
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

let browser, desk, folder, operator, viewer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  const config = join(folder, "frontdesk.yaml");
  await writeFile(join(folder, "food.json"), JSON.stringify([{ "@type": "Recipe", url: "https://www.pantry.example/soup", name: "Lentil soup" }]));
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: pantry, name: The Pantry, url: https://www.pantry.example}
sources: [{path: food.json}]
terms: [{match: {}, access: open}]
agents: {known: [{operator: Acme, origin: https://acme.example, kind: assistant, user_agent: AcmeBot}]}
`);
  operator = (await run("console", "token", "Ana", "--config", config)).stdout;
  viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
});
after(async () => { await browser?.close(); await desk?.stop(); await rm(folder, { recursive: true, force: true }); });

// login opens the list of visitors as the holder of a token.
async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/visitors`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  await p.page.goto(`${desk.url}/console/visitors`);
  return p;
}

// asks has AcmeBot ask, and gives the status.
const asks = async () => (await fetch(`${desk.url}/ask`, {
  method: "POST", headers: { "Content-Type": "application/json", "User-Agent": "AcmeBot/1.0" }, body: '{"query":{"text":"soup"}}',
})).status;

// shown waits until the list has what was counted, which is written a little later.
async function shown(page, text) {
  for (let tries = 0; tries < 50; tries++) {
    await page.goto(`${desk.url}/console/visitors`);
    const row = page.getByRole("row", { name: /AcmeBot/ });
    if (await row.count() && text.test(await row.innerText())) return row;
    await page.waitForTimeout(200);
  }
  assert.fail(`the list does not come to ${text}: ${await page.locator("main").innerText()}`);
}

// fits says that a page needs no scrolling sideways, on a desk and a phone.
async function fits(p, name) {
  for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
    await p.page.setViewportSize({ width, height: 900 });
    await p.page.emulateMedia({ colorScheme });
    assert.equal(await p.page.evaluate(() => document.documentElement.scrollWidth), width, `${name} at ${width}`);
    await p.picture(`visitors-${name}-${width}-${colorScheme}`, { fullPage: true });
  }
  await p.page.setViewportSize({ width: 1280, height: 900 });
}

test("an agent is blocked, and let in again", async () => {
  const p = await login(operator);
  await p.page.getByRole("heading", { name: "No agent has come yet" }).waitFor();
  await fits(p, "empty");
  assert.equal(await asks(), 200);
  await shown(p.page, /Acme.*assistant/);
  await p.press(p.page.getByRole("link", { name: "AcmeBot" }));
  await p.page.getByLabel("Block, and who calls itself so").check();
  await p.press(p.page.getByRole("button", { name: "Save" }));
  assert.match(await p.page.locator(".lead").innerText(), /blocked/);
  assert.equal(await asks(), 403, "a blocked agent is refused");
  assert.equal((await fetch(`${desk.url}/robots.txt`, { headers: { "User-Agent": "AcmeBot/1.0" } })).status, 200, "but for robots.txt");
  const row = await shown(p.page, /blocked/);
  await fits(p, "list");
  await p.press(row.getByRole("link", { name: "AcmeBot" }));
  await fits(p, "agent");
  const file = await p.page.request.get(`${desk.url}/console/visitors.csv?q=acme`);
  assert.match(await file.text(), /AcmeBot,AcmeBot,Acme,assistant,word,1,/);
  await p.page.getByLabel("Allow, as far as the terms go").check();
  await p.press(p.page.getByRole("button", { name: "Save" }));
  assert.equal(await asks(), 200, "it is let in again");
  await p.check();
});

test("a viewer sees who came, and changes nothing", async () => {
  const p = await login(viewer, { expect: /status of 403/ });
  await shown(p.page, /Acme/);
  await p.press(p.page.getByRole("link", { name: "AcmeBot" }));
  assert.equal(await p.page.getByRole("button", { name: "Save" }).count(), 0);
  const form = await p.page.locator('input[name="form"]').first().inputValue();
  const refused = await p.page.request.post(`${desk.url}/console/visitors/AcmeBot/treat`, {
    form: { form, treatment: "block" }, headers: { Origin: desk.url, "Sec-Fetch-Site": "same-origin" },
  });
  assert.equal(refused.status(), 403);
  assert.equal(await asks(), 200);
  await p.check();
});
