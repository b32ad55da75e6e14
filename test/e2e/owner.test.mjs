// The owner's console: logging in, what was taken and denied, a receipt verified by one click and one that was changed. The
// server is the real one, and so are the requests of platforms, which the binary itself signs and sends.
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

let browser, desk, folder, config, operator, viewer;

// platform has a platform ask or cite; a refusal is no failure.
async function platform(verb, ...args) {
  const common = ["intent", verb, desk.url, "--platform", "example-chat", "--key", "plat_one", "--secret-file", join(folder, "secret")];
  return run(...common, ...args).catch((refused) => refused);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  config = join(folder, "frontdesk.yaml");
  await writeFile(join(folder, "food.json"), JSON.stringify([
    { "@type": "Article", url: "https://www.pantry.example/bread", name: "Sourdough bread", articleBody: "A sourdough needs time. Feed the starter in the evening. In the morning it has doubled. Mix it with flour, water and salt. Bake it the next day." },
  ]));
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: pantry, name: The Pantry, url: https://www.pantry.example}
sources: [{path: food.json}]
terms: [{match: {}, access: licensed, labels: [food.bread], functions: {permit: [ai-input, search]}}]
intent: {enabled: true, publisher: {id: pantry, domain: pantry.example}, domains: [food], compliance: {last_updated: 2026-11-01}}
`);
  const key = await run("keys", "issue", "platform", "example-chat", "--id", "plat_one", "--config", config);
  await writeFile(join(folder, "secret"), key.stdout);
  operator = (await run("console", "token", "Ana", "--config", config)).stdout;
  viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
  const answer = await platform("retrieve", "--domain", "food", "--query", "bread", "--json");
  assert.match(answer.stdout, /"status":"ok"/, answer.stderr);
  await writeFile(join(folder, "answer.json"), answer.stdout);
  const cited = await platform("cite", "--answer", join(folder, "answer.json"), "--surface", "footnote");
  assert.match(cited.stdout, /has the citation/, cited.stderr);
  const refused = await platform("retrieve", "--domain", "sports", "--query", "bread");
  assert.match(refused.stderr, /out_of_scope/);
});
after(async () => { await browser?.close(); await desk?.stop(); await rm(folder, { recursive: true, force: true }); });

// login opens the console as the holder of a token.
async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  return p;
}

test("a wrong token is refused, and says what to do", async () => {
  const p = await login("fd_wrong", { expect: /status of 401/ });
  await p.page.getByRole("alert").waitFor();
  assert.match(await p.page.getByRole("alert").innerText(), /not valid/);
  assert.equal(await p.page.getByLabel("Token").inputValue(), "", "a wrong token is not shown again");
  await p.page.goto(`${desk.url}/console/denials`);
  await p.page.getByRole("heading", { name: "Log in" }).waitFor();
  await p.check();
});

test("who took what, and when, is listed and filtered", async () => {
  const p = await login(viewer);
  await p.press(p.page.getByRole("link", { name: "Receipts" }));
  await p.page.getByRole("heading", { name: "Receipts" }).waitFor();
  assert.match(await p.page.getByRole("group", { name: "Requests of platforms by day" }).ariaSnapshot(), /1 answered and 1 denied/);
  const platforms = p.page.getByRole("table", { name: "Platforms in the last 30 days" });
  assert.match(await platforms.getByRole("row", { name: /example-chat/ }).innerText(), /example-chat\s+1\s+1\s+1\s/);
  const entries = p.page.getByRole("table", { name: "Entries of the ledger" });
  const access = entries.getByRole("row").filter({ hasText: "Passages given" });
  assert.match(await access.innerText(), /example-chat[^]*https:\/\/www\.pantry\.example\/bread[^]*1 passage, rule 1/);
  await p.page.getByRole("combobox", { name: /^What/ }).selectOption("Citation reported");
  await p.press(p.page.getByRole("button", { name: "Show" }));
  await p.page.waitForURL(/kind=citation/);
  assert.equal(await entries.getByRole("row").count(), 2, "the head and the citation");
  assert.match(await entries.innerText(), /shown as footnote; fits our records/);
  await p.page.getByRole("textbox", { name: "Day" }).fill("2025-01-01");
  await p.press(p.page.getByRole("button", { name: "Show" }));
  await p.page.getByText("Nothing fits what you chose.").waitFor();
  await p.press(p.page.getByRole("link", { name: "Show everything" }));
  assert.ok(await entries.getByRole("row").count() > 4);
  await p.press(p.page.getByRole("link", { name: "Refused requests" }));
  assert.match(await p.page.getByRole("main").innerText(), /declared editorial domains[^]*example-chat\s+out of scope/);
  await p.check();
});

test("one click verifies a receipt, and a changed byte is found", async () => {
  const p = await login(viewer);
  await p.press(p.page.getByRole("link", { name: "Receipts" }));
  await p.page.getByRole("row").filter({ hasText: "Passages given" }).getByRole("button", { name: /^Verify entry/ }).press("Enter");
  const verdict = p.page.getByRole("status");
  await verdict.getByRole("heading", { name: "True" }).waitFor();
  assert.match(await verdict.innerText(), /signed the ledger pantry\/ledger with \d+ entries/);
  const text = p.page.getByRole("textbox");
  await text.fill((await text.inputValue()).replace("platform:example-chat", "platform:example-chaT"));
  await p.press(p.page.getByRole("button", { name: "Verify this text" }));
  await verdict.getByRole("heading", { name: "Not true" }).waitFor();
  assert.match(await verdict.innerText(), /party\s+platform:example-chaT\s+platform:example-chat/);
  const file = await p.download(p.page.getByRole("link", { name: "Download" }));
  await file.saveAs(join(folder, "receipt.json"));
  await writeFile(join(folder, "jwks.json"), await (await fetch(`${desk.url}/.well-known/jwks.json`)).text());
  const verified = await run("verify", join(folder, "receipt.json"), "--key", join(folder, "jwks.json"));
  assert.match(verified.stdout, /^True/);
  await p.check();
});

test("an operator has the whole ledger verified, and sees the date and that it is true; a viewer cannot", async () => {
  const whole = (p) => p.page.getByRole("region", { name: "The whole ledger" });
  const v = await login(viewer);
  await v.press(v.page.getByRole("link", { name: "Receipts" }));
  assert.match(await whole(v).innerText(), /not done here yet/);
  assert.equal(await whole(v).getByRole("button").count(), 0);
  await v.check();
  const p = await login(operator);
  await p.press(p.page.getByRole("link", { name: "Receipts" }));
  await p.press(whole(p).getByRole("button", { name: "Verify all" }));
  while (!/as they were signed/.test(await whole(p).innerText())) await p.page.reload(); // as the page says, until it is over
  assert.match(await whole(p).innerText(), /Verified \d+ \w+ \d{4}.*: true All \d+ entries are as they were signed/);
  await axe(p.page, "verified");
  await p.picture("whole-ledger", { fullPage: true });
  await p.check();
});

test("an operator suspends a key and resumes it; a viewer cannot", async () => {
  const v = await login(viewer);
  await v.press(v.page.getByRole("link", { name: "Keys & people" }));
  await v.press(v.page.getByRole("link", { name: "example-chat" }));
  await v.page.getByText("Operators and owners change this.").waitFor();
  assert.equal(await v.page.getByRole("button", { name: /Suspend/ }).count(), 0);
  await v.press(v.page.getByRole("button", { name: "Log out" }));
  await v.page.getByRole("heading", { name: "Log in" }).waitFor();
  await v.check();

  const p = await login(operator);
  await p.press(p.page.getByRole("link", { name: "Keys & people" }));
  await p.press(p.page.getByRole("link", { name: "example-chat" }));
  await p.press(p.page.getByRole("button", { name: "Suspend" }));
  await p.page.getByText("suspended", { exact: true }).waitFor();
  const refused = await platform("retrieve", "--domain", "food", "--query", "bread");
  assert.match(refused.stderr, /auth_failed|authentication failed/);
  await p.press(p.page.getByRole("button", { name: "Resume" }));
  await p.page.getByText("good", { exact: true }).waitFor();
  await p.page.goto(`${desk.url}/console/receipts?kind=key`);
  assert.match(await p.page.getByRole("table", { name: "Entries of the ledger" }).innerText(), /platform key plat_one of example-chat\s+suspended/);
  await p.check();
});

for (const [device, viewport] of [["desk", { width: 1280, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`the console on a ${device}, ${colorScheme}`, async () => {
      const p = await open(browser, desk.url, { viewport, colorScheme });
      const look = async (name) => {
        const wide = await p.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
        await p.picture(`owner-${name}-${device}-${colorScheme}`, { fullPage: true });
      };
      await p.page.goto(`${desk.url}/console/`);
      await look("login");
      await p.page.getByLabel("Token").fill(operator);
      await p.press(p.page.getByRole("button", { name: "Log in" }));
      await p.page.getByRole("heading", { name: "Home" }).waitFor();
      await look("home");
      await p.page.goto(`${desk.url}/console/receipts`);
      await look("receipts");
      await p.press(p.page.getByRole("button", { name: /^Verify entry/ }).first());
      await p.page.getByRole("heading", { name: "True" }).waitFor();
      await look("true");
      await p.page.getByRole("textbox").fill((await p.page.getByRole("textbox").inputValue()).replace('"party": "', '"party": "x'));
      await p.press(p.page.getByRole("button", { name: "Verify this text" }));
      await p.page.getByRole("heading", { name: "Not true" }).waitFor();
      await look("not-true");
      for (const page of ["denials", "keys"]) {
        await p.page.goto(`${desk.url}/console/${page}`);
        await look(page);
      }
      await p.check();
    });
  }
}
