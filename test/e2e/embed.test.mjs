// The owner's page on embedding, and the page on how assistants are connected: what is chosen is shown, a page of the
// owner's is checked, and a viewer checks none. The server is the real one.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { axe } from "./axe.mjs";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const run = (...args) => promisify(execFile)(process.env.FRONTDESK_BINARY, args);

let browser, desk, folder, operator, viewer, shop;
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
fetch: {allow: [127.0.0.1/32]}
`);
  operator = (await run("console", "token", "Ana", "--config", config)).stdout;
  viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  [browser, desk, shop] = await Promise.all([launch(), start("serve", "--config", config), startShop()]);
});
after(async () => { await browser?.close(); await desk?.stop(); shop?.stop(); await rm(folder, { recursive: true, force: true }); });

// startShop serves a page that has what the test says.
async function startShop() {
  const one = { html: "", policy: "" };
  const server = createServer((_, res) => res.writeHead(200, { "Content-Type": "text/html", ...(one.policy && { "Content-Security-Policy": one.policy }) }).end(one.html));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(one, { url: `http://127.0.0.1:${server.address().port}/`, stop: () => { server.closeAllConnections(); server.close(); } });
}

async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/embed`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  await p.page.goto(`${desk.url}/console/embed`);
  return p;
}

// fits says that a page needs no scrolling sideways, on a desk and a phone, and axe-core finds nothing.
async function fits(p, name) {
  for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
    await p.page.setViewportSize({ width, height: 900 });
    await p.page.emulateMedia({ colorScheme });
    assert.equal(await p.page.evaluate(() => document.documentElement.scrollWidth), width, `${name} at ${width}`);
    await axe(p.page);
    await p.picture(`embed-${name}-${width}-${colorScheme}`, { fullPage: true });
  }
  await p.page.setViewportSize({ width: 1280, height: 900 });
}

test("what is chosen stands in the snippet, and works beside it", async () => {
  const p = await login(operator);
  await p.page.locator("frontdesk-ask").getByRole("button", { name: "Ask us" }).waitFor();
  await fits(p, "launcher");
  await p.page.getByLabel("What people see").selectOption("searchbox");
  await p.page.getByLabel("Words on it").fill("Find <it>");
  await p.page.getByLabel("Colour").fill("#7a1f3d");
  await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
  const snippet = await p.page.locator("pre").first().innerText();
  assert.equal(snippet, `<script type="module" src="${desk.url}/widget/v1/frontdesk-ask.js"></script>\n<frontdesk-ask mode="searchbox">Find &lt;it&gt;</frontdesk-ask>`);
  assert.match(await p.page.locator("pre").nth(1).innerText(), /--frontdesk-accent: #7a1f3d;/);
  const box = p.page.locator("frontdesk-ask").getByRole("searchbox");
  await box.fill("soup");
  await box.press("Enter");
  await p.page.locator("frontdesk-ask").getByRole("link", { name: "Lentil soup" }).first().waitFor();
  const color = await p.page.locator("frontdesk-ask").locator(".send").evaluate((button) => getComputedStyle(button).backgroundColor);
  assert.equal(color, "rgb(122, 31, 61)");
  await fits(p, "searchbox");
  await p.check();
});

test("a page of the owner's is told what it lacks", async () => {
  const p = await login(operator);
  const check = async () => {
    await p.page.getByLabel("Address of a page of yours").fill(shop.url);
    await p.press(p.page.getByRole("button", { name: "Check", exact: true }));
    return p.page.locator(".card[role=status]").innerText();
  };
  assert.match(await check(), /does not load the script[\s\S]*does not have the element/);
  shop.html = await p.page.locator("pre").first().innerText();
  assert.match(await check(), /All is there/);
  shop.policy = "default-src 'self'";
  assert.match(await check(), new RegExp(`script-src ${desk.url}[\\s\\S]*connect-src ${desk.url}`));
  await fits(p, "checked");
  await p.check();
  const v = await login(viewer);
  assert.equal(await v.page.getByLabel("Address of a page of yours").count(), 0);
  await v.check();
});

test("assistants find their recipe, in the reader's language", async () => {
  for (const [locale, title] of [["en", "Connect an assistant"], ["ja", "アシスタントをつなぐ"]]) {
    const p = await open(browser, desk.url, { locale });
    await p.page.goto(`${desk.url}/`);
    await p.press(p.page.getByRole("link", { name: title }));
    await p.page.getByRole("heading", { level: 1, name: title }).waitFor();
    assert.equal(await p.page.locator("#claude-code pre").innerText(), `claude mcp add --transport http the-pantry ${desk.url}/mcp`);
    assert.match(await p.page.locator("#cursor a").getAttribute("href"), /^cursor:/);
    await fits(p, `connect-${locale}`);
    await p.check();
  }
});
