// The owner's pages on keys and people: a key is issued, used, rolled and revoked, somebody is invited, gets another role and is signed
// out, and nobody changes more than their role. The server is the real one.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { axe } from "./axe.mjs";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const run = (...args) => promisify(execFile)(process.env.FRONTDESK_BINARY, args);

let browser, config, desk, folder, owner, viewer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  config = join(folder, "frontdesk.yaml");
  await writeFile(join(folder, "food.json"), JSON.stringify([{ "@type": "Recipe", url: "https://www.pantry.example/soup", name: "Lentil soup" }]));
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: pantry, name: The Pantry, url: https://www.pantry.example}
sources: [{path: food.json}]
terms: [{match: {}, access: open}]
auth: {required: [ask]}
`);
  owner = (await run("console", "token", "Ana", "--role", "owner", "--config", config)).stdout;
  viewer = (await run("console", "token", "Vi", "--role", "viewer", "--config", config)).stdout;
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
});
after(async () => { await browser?.close(); await desk?.stop(); await rm(folder, { recursive: true, force: true }); });

// login opens the list of keys as the holder of a token.
async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/keys`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  await p.page.goto(`${desk.url}/console/keys`);
  return p;
}

// asks has somebody with a key ask, and gives the status.
const asks = async (key) => (await fetch(`${desk.url}/ask`, {
  method: "POST", headers: { "Content-Type": "application/json", "X-API-Key": key }, body: '{"query":{"text":"soup"}}',
})).status;

// becomes waits until a key is answered with a status: what is changed holds within a second.
async function becomes(key, status) {
  for (let tries = 0; tries < 30; tries++) {
    if (await asks(key) === status) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`the key is not answered with ${status}`);
}

// fits says that a page needs no scrolling sideways and that axe-core finds nothing, on a desk and a phone.
async function fits(p, name) {
  for (const width of [1280, 390]) {
    await p.page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"]) {
      await p.page.emulateMedia({ colorScheme });
      assert.equal(await p.page.evaluate(() => document.documentElement.scrollWidth), width, `${name} at ${width}`);
      await axe(p.page, `${name} at ${width}, ${colorScheme}`);
      await p.picture(`keys-${name}-${width}-${colorScheme}`, { fullPage: true });
    }
  }
  await p.page.setViewportSize({ width: 1280, height: 900 });
}

const secret = (p) => p.page.locator("#secret").innerText();

test("a key is issued, used, rolled and revoked", async () => {
  const p = await login(owner);
  await p.page.getByRole("heading", { name: "No agent has a key yet" }).waitFor();
  await fits(p, "empty");
  await p.press(p.page.getByRole("link", { name: "Issue a key" }));
  await fits(p, "new");
  await p.page.getByLabel("What you call its holder").fill("Example Agents");
  await p.page.getByLabel("Ask questions over HTTP").check();
  await p.press(p.page.getByRole("button", { name: "Issue a key" }));
  const first = await secret(p);
  assert.match(first, /^fd_/);
  await fits(p, "made");
  assert.equal(await asks(first), 200);
  await p.press(p.page.getByRole("link", { name: "I have copied it" }));
  assert.doesNotMatch(await p.page.locator("main").innerText(), new RegExp(first));
  const address = p.page.url();
  for (let tries = 0; tries < 50 && !/\d{4} from 127\.0\.0\.0\/24/.test(await p.page.locator("main").innerText()); tries++) {
    await p.page.waitForTimeout(100); // it is kept a moment later
    await p.page.reload();
  }
  assert.match(await p.page.locator("main").innerText(), /from 127\.0\.0\.0\/24/);
  await fits(p, "key");

  await p.page.getByLabel("The old key stays good for").selectOption("1 day");
  await p.press(p.page.getByRole("button", { name: "Roll this key" }));
  const second = await secret(p);
  assert.notEqual(second, first);
  assert.equal(await asks(first), 200, "the old key works beside the new one");
  assert.equal(await asks(second), 200);

  await p.page.goto(address);
  await p.press(p.page.getByRole("button", { name: "Suspend" }));
  await becomes(first, 401);
  await p.press(p.page.getByRole("button", { name: "Resume" }));
  await becomes(first, 200);
  await p.page.getByText("Revoke…").click();
  await p.press(p.page.getByRole("button", { name: "Revoke for good" }));
  await becomes(first, 401);
  assert.equal(await asks(second), 200);
  await fits(p, "revoked");

  await run("keys", "issue", "platform", "search.example", "--expires", "100h", "--config", config);
  await p.page.goto(`${desk.url}/console/keys`);
  assert.match(await p.page.getByRole("row", { name: /search\.example/ }).innerText(), /ends soon/);
  await fits(p, "list");
  await p.page.getByLabel("Name or id").fill("example agents");
  await p.press(p.page.getByRole("button", { name: "Find", exact: true }).last());
  assert.equal(await p.page.getByRole("row").count(), 2, "the heading, and the key that is good");
  const file = await p.page.request.get(`${desk.url}/console/keys.csv?q=example+agents&state=all`);
  assert.equal((await file.text()).trim().split("\n").length, 3);
  await p.page.goto(`${desk.url}/console/keys?q=nobody`);
  await fits(p, "nothing");
  await p.check();
});

test("a person is invited by a link, gets a role, and is signed out", async () => {
  const p = await login(owner);
  await p.press(p.page.getByRole("link", { name: "People", exact: true }));
  await p.page.getByLabel("Name", { exact: true }).fill("Bo");
  await p.page.getByLabel("Editor:").check();
  await p.press(p.page.getByRole("button", { name: "Make the link" }));
  await fits(p, "invited");
  const link = await secret(p);
  await p.page.goto(`${desk.url}/console/keys/people`);
  await p.page.getByRole("heading", { name: "Open invitations" }).waitFor();
  await fits(p, "people");

  const bo = await open(browser, desk.url);
  await bo.page.goto(link);
  await bo.page.getByLabel("Your name").waitFor();
  assert.equal(await bo.page.getByLabel("Your name").inputValue(), "Bo");
  await bo.press(bo.page.getByRole("button", { name: "Go on" }));
  await bo.page.goto(`${desk.url}/console/keys/people`);
  assert.match(await bo.page.locator(".who").innerText(), /Bo, editor/);
  assert.equal(await bo.page.getByRole("button", { name: "Make the link" }).count(), 0);
  await bo.check();

  const again = await open(browser, desk.url, { expect: /status of 401/ });
  await again.page.goto(link);
  await again.page.getByRole("alert").waitFor(); // it is used up
  await again.check();

  const two = await open(browser, desk.url);
  await two.page.goto(desk.url);
  await p.page.reload();
  await p.press(p.page.getByRole("link", { name: "Bo", exact: true }));
  await fits(p, "person");
  await p.page.getByLabel("Viewer:").check();
  await p.press(p.page.getByRole("button", { name: "Save the role" }));
  assert.match(await p.page.locator(".lead").innerText(), /viewer/);
  await p.press(p.page.getByRole("button", { name: "Sign out everywhere" }));
  assert.match(await p.page.locator(".facts-of").innerText(), /Open sessions\s+0/);
  await p.page.goto(`${desk.url}/console/keys/people`);
  await p.press(p.page.getByRole("link", { name: "Ana", exact: true }));
  await p.page.getByText("This is the last owner").waitFor();
  await fits(p, "last-owner");
  await two.check();
  await p.check();
});

test("axe-core finds what is wrong", async () => {
  const p = await open(browser, desk.url, { expect: /./ });
  await p.page.goto(`${desk.url}/console/login`);
  await axe(p.page, "as it is");
  await p.page.evaluate(() => document.querySelector("label").remove());
  await assert.rejects(axe(p.page, "without its label"), /label/);
  await p.page.context().close();
});

test("who is signed out has to log in again", async () => {
  const p = await login(viewer);
  const ana = await login(owner);
  await ana.page.goto(`${desk.url}/console/keys/people`);
  await ana.press(ana.page.getByRole("link", { name: "Vi", exact: true }));
  await ana.press(ana.page.getByRole("button", { name: "Sign out everywhere" }));
  await p.page.goto(`${desk.url}/console/keys`);
  assert.match(p.page.url(), /console\/login$/);
  await Promise.all([p.check(), ana.check()]);
});

test("a viewer sees keys and people, and changes nothing", async () => {
  const p = await login(viewer, { expect: /status of 403/ });
  assert.equal(await p.page.getByRole("link", { name: "Issue a key" }).count(), 0);
  await fits(p, "viewer");
  await p.press(p.page.getByRole("link", { name: "Example Agents" }).first());
  const page = p.page.url();
  assert.doesNotMatch(await p.page.locator("main").innerText(), /127\.0\.0\.0/, "where a key was used is not for viewers");
  const form = await p.page.locator('input[name="form"]').first().inputValue();
  const headers = { Origin: desk.url, "Sec-Fetch-Site": "same-origin" };
  const post = async (url, fields) => (await p.page.request.post(url, { form: { form, ...fields }, headers })).status();
  for (const what of ["roll", "suspend", "resume", "revoke"]) assert.equal(await post(page, { do: what }), 403, what);
  assert.equal(await post(`${desk.url}/console/keys/new`, { kind: "api", name: "x" }), 403);
  assert.equal(await post(`${desk.url}/console/keys/people`, { name: "x", role: "owner", good: "24h" }), 403);
  await p.check();
});

test("without a script a key can be issued and a link made", async () => {
  const p = await login(owner, { javaScriptEnabled: false });
  await p.page.goto(`${desk.url}/console/keys/new`);
  await p.page.getByLabel("What you call its holder").fill("No script");
  await p.page.getByRole("button", { name: "Issue a key" }).click();
  assert.match(await secret(p), /^fd_/);
  assert.equal(await p.page.getByRole("button", { name: "Copy" }).count(), 0);
  await p.page.goto(`${desk.url}/console/keys/people`);
  await p.page.getByLabel("Name", { exact: true }).fill("Cy");
  await p.page.getByRole("button", { name: "Make the link" }).click();
  assert.match(await secret(p), /console\/begin#[A-Z2-7]{26}$/);
  await p.page.context().close();
});

test("the pages fit a phone in every language", async () => {
  const english = await login(owner);
  const hrefs = await english.page.locator("main a[href*='/console/keys']").evaluateAll((all) => all.map((a) => a.href));
  await english.page.goto(`${desk.url}/console/keys/people`);
  hrefs.push(...await english.page.locator("td a").evaluateAll((all) => all.map((a) => a.href)));
  const cookies = await english.page.context().cookies();
  for (const locale of ["de", "es", "fr", "it", "ja", "pt"]) {
    const p = await open(browser, desk.url, { locale, viewport: { width: 390, height: 844 } });
    await p.page.context().addCookies(cookies);
    for (const href of new Set([...hrefs, ...["platform", "edge"].map((kind) => `${desk.url}/console/keys/new?kind=${kind}`)])) {
      if (href.includes(".csv")) continue;
      await p.page.goto(href);
      assert.equal(await p.page.locator("html").getAttribute("lang"), locale);
      assert.equal(await p.page.evaluate(() => document.documentElement.scrollWidth), 390, `${href} in ${locale}`);
      await p.picture(`keys-${locale}-${href.split("/").slice(4).join("-").replace(/\W+/g, "-").slice(0, 30)}`, { fullPage: true });
    }
    await p.check();
  }
  await english.check();
});
