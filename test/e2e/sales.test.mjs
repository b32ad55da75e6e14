// The owner's pages of what is sold: a buyer discovers, buys and reports by the command line, and the operator sees it, opens the
// account, books, gives a subscription and downloads the reports; on a desk and a phone, light and dark, empty and full.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { axe } from "./axe.mjs";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const command = promisify(execFile);
const run = (...args) => command(process.env.FRONTDESK_BINARY, args);
const buyer = "buyer.example.com/bot";
const principal = `the-office-of-a-principal-with-a-long-name.${"w".repeat(60)}.example`;
const long = "donaudampfschifffahrtsgesellschaft".repeat(5);
const hostile = `<script>alert('marker7')</script>`;

let browser, desk, folder, operator, viewer, reported, strayed;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-sales-"));
  await mkdir(join(folder, "content"));
  for (const [name, text] of Object.entries({
    lamp: "# The lamp\n\nOne lamp lights a room.", [long.slice(0, 120)]: `# ${long}\n\nA long name.`,
    jp: "# 灯台の光についての長い話\n\n光。", ar: "# مصباح في الغرفة\n\nضوء.", odd: `# ${hostile}\n\nOdd.`, tokens: `# By the token\n\n${"word ".repeat(900)}`, shut: "# Not for sale\n\nNo.",
  })) await writeFile(join(folder, "content", `${name}.md`), text);
  const config = join(folder, "shop.yaml");
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {name: Shop, url: "https://www.example.com"}
sources:
  - {name: texts, path: content}
terms:
  - {match: {path: /shut}, access: blocked}
  - match: {path: /tokens}
    access: licensed
    price: {model: per_token, rate: "0.0001", currency: USD}
  - match: {}
    access: licensed
    labels: [light.and.lamps]
    price: {model: per_access, rate: "0.02", currency: USD}
    reporting: {window: 24h}
ramp: {enabled: true, domain: shop.example, signatures: required}
`);
  const key = join(folder, "agent.json");
  await writeFile(key, (await run("keys", "agent", "--data", join(folder, "buyer"), "--id", "bot")).stdout);
  await run("ramp", "requester", "add", "--config", config, "buyer.example.com", "bot", "--key", `@${key}`);
  const principalKey = join(folder, "principal.json");
  await writeFile(principalKey, (await run("keys", "agent", "--data", join(folder, "principal"), "--id", "ceo")).stdout);
  await run("ramp", "requester", "add", "--config", config, principal, "ceo", "--key", `@${principalKey}`);
  operator = (await run("console", "token", "Ana", "--config", config)).stdout;
  viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
});
after(async () => {
  await browser?.close();
  await desk?.stop();
  await rm(folder, { recursive: true, force: true });
});

// login opens the sales as the holder of a token.
async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  const menu = p.page.getByRole("link", { name: "Menu", exact: true }); // which phones open first
  if (await menu.isVisible()) await menu.click();
  await p.press(p.page.getByRole("link", { name: "Sales", exact: true }));
  await p.page.getByRole("heading", { name: "Revenue", exact: true }).waitFor();
  p.aisle = async (name, heading = name) => {
    await p.press(p.page.getByRole("navigation", { name: "Sales" }).getByRole("link", { name, exact: true }));
    await p.page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor();
  };
  p.says = async (text) => assert.ok((await p.page.getByRole("main").innerText()).includes(text), `the page does not say ${text}:\n${await p.page.getByRole("main").innerText()}`);
  return p;
}

const aisles = [["Revenue"], ["Catalog"], ["Offers"], ["Purchases"], ["Deliveries"], ["Disputes"], ["Reports due"], ["Accounts"], ["Licences", "Licences and subscriptions"], ["Tenants"], ["Domains"], ["Buyers"], ["Bots"], ["Reconciliation"], ["Leakage"], ["Downloads"]];

// fits holds that no page is wider than the window, and keeps its picture.
async function fits(p, name) {
  const wide = await p.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
  const cut = await p.page.locator(".wide").evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth).filter((n) => n > 0));
  assert.deepEqual(cut, [], `tables of ${name} are wider than their place`);
  if (!/desk-dark|phone-light|empty.*phone/.test(name)) await axe(p.page, name); // each width, and each scheme
  await p.picture(`sales-${name}`, { fullPage: true });
}

const devices = [["desk", { width: 1280, height: 900 }], ["phone", { width: 390, height: 844 }]];

test("before anything is sold every page says so, and fits", async () => {
  for (const [device, viewport] of devices) {
    const p = await login(operator, { viewport });
    for (const [name, heading] of aisles) {
      await p.aisle(name, heading);
      await fits(p, `empty-${name.replace(" ", "-")}-${device}`);
    }
    await p.check();
  }
});

// tell posts a batch of an edge's, as an edge signs it.
async function tell(batch) {
  const { stdout, stderr } = await run("keys", "issue", "edge", "edge-1", "--config", join(folder, "shop.yaml"));
  const key = `${stdout}${stderr}`.match(/edg_[a-z0-9]+/)[0];
  const secret = Buffer.from(stdout.trim().replace(/^whsec_/, ""), "base64");
  const body = JSON.stringify({ version: 1, ...batch });
  for (;;) { // the key is known within a second
    const at = Math.floor(Date.now() / 1000);
    const signature = `v1,${createHmac("sha256", secret).update(`${batch.id}.${at}.${body}`).digest("base64")}`;
    const answer = await fetch(`${desk.url}/exchange/v1/deliveries`, { method: "POST", body, headers: {
      "Content-Type": "application/json", "Edge-Key": key, "webhook-id": batch.id, "webhook-timestamp": `${at}`, "webhook-signature": signature,
    } });
    if (answer.status === 200) return;
    const text = await answer.text();
    assert.equal(answer.status, 401, text);
  }
}

test("what an edge tells is seen: whom it saw, what came of it, and what nobody had bought", async () => {
  const hour = (days, hours = 0) => new Date(Math.floor((Date.now() - days * 86400e3 - hours * 3600e3) / 3600e3) * 3600e3).toISOString();
  const saw = (agent, outcome, path, most) => [...Array(28).keys()].map((day) => ({ hour: hour(day), host: "www.example.com", agent, path, outcome, count: 1 + ((day * 37 + most) % most) }));
  const begun = new Date(Date.now() - 2 * 3600e3).toISOString();
  strayed = begun.slice(0, 10);
  const stray = (id, uri, more) => ({ id, transaction: `txn-nobodys-${id}`, agent: "00ff", uri, form: "hmac", state: "ended", status: 200, announced: 4711, bytes: 4711, at: begun, ended: begun, ...more });
  await tell({
    id: "batch-1",
    deliveries: [
      stray("d1", "https://www.example.com/lamp"), stray("d2", `https://www.example.com/${long}`, { state: "cut", bytes: 1200 }),
      stray("d3", "https://www.example.com/jp", { state: "cut", at_most: true }), stray("d4", "https://www.example.com/ar?<script>", { status: 206, bytes: 12, announced: 12 }),
    ],
    sightings: [
      ...saw("GPTBot", "refused", "/premium", 300), ...saw("ClaudeBot", "delivered", "/premium/lamps", 90), ...saw("CCBot", "blocked", "/shut", 60), ...saw("PerplexityBot", "limited", "/premium", 40),
      ...saw("A-bot-with-a-very-long-name-that-goes-on-until-there-is-no-place", "open", `/${long}`, 30), ...saw(`<b>Bot</b>`, "invalid", "/<script>alert('marker7')</script>", 20), ...saw("Applebot-Extended", "open", "", 10),
    ],
  });
  for (const [device, viewport] of devices) {
    const p = await login(viewer, { viewport });
    await p.aisle("Bots");
    await fits(p, `bots-${device}`);
    await p.aisle("Leakage");
    await fits(p, `leakage-${device}`);
    await p.check();
  }
  const p = await login(viewer);
  await p.aisle("Bots");
  for (const text of ["GPTBot", "<b>Bot</b>", "told where a licence is had", "its address opens nothing", "came too often"]) await p.says(text);
  await p.press(p.page.getByRole("table", { name: "Agents by how often they came" }).getByRole("link", { name: "GPTBot" }));
  await p.says("/premium");
  assert.ok(!(await p.page.getByRole("main").innerText()).includes("ClaudeBot"));
  await p.press(p.page.getByRole("link", { name: "Show all" }));
  await p.press(p.page.getByRole("link", { name: "told where a licence is had" }));
  await p.says("was answered 403 with where to buy");
  await p.page.getByText("The figures of each day").click();
  await p.press(p.page.locator(".days a").first());
  await p.says("GPTBot");
  await p.aisle("Leakage");
  await p.says("its end is not known");
  await p.press(p.page.getByRole("table", { name: "Deliveries without a purchase" }).getByRole("link").first());
  await p.says("not known here");
  await p.press(p.page.getByRole("link", { name: "Delivered", exact: true }));
  await p.says("edge edge-1");
  await p.press(p.page.getByRole("link", { name: "The delivery, which nobody is known to have bought" }));
  await p.page.getByRole("heading", { name: "Delivery", exact: true }).waitFor();
  await p.check();
});

test("what differs on a day is seen, with why, and leads to what it is about", async () => {
  for (const [device, viewport] of devices) {
    const p = await login(viewer, { viewport });
    await p.aisle("Reconciliation");
    await p.says("was counted yet");
    await p.page.getByRole("textbox", { name: "Day", exact: true }).fill(strayed);
    await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
    await p.page.getByRole("heading", { name: `Reconciliation ${strayed}`, level: 1 }).waitFor();
    await p.says("The day is not counted yet");
    await p.says("no purchase of this site stands");
    await fits(p, `reconciliation-day-${device}`);
    await p.check();
  }
  const p = await login(viewer);
  await p.aisle("Reconciliation");
  await p.page.getByRole("textbox", { name: "Day", exact: true }).fill(strayed);
  await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
  await p.page.getByLabel("What differs").selectOption("Used, not delivered");
  await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
  await p.says("Nothing fits what you chose");
  await p.page.getByLabel("What differs").selectOption("Delivered, not bought");
  await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
  await p.press(p.page.getByRole("table", { name: "Differences" }).getByRole("link").first());
  await p.page.getByRole("heading", { name: "Delivery", exact: true }).waitFor();
  await p.check();
});

test("a domain is looked at, challenged and, since nobody answers, not verified; a viewer sees it and does nothing", async () => {
  const config = ["--config", join(folder, "shop.yaml")];
  await run("ramp", "tenant", "add", "globex", ...config, "--domain", "www.globex.example", "--price", "0.02", "--currency", "USD");
  await run("ramp", "tenant", "add", "long", ...config, "--domain", `${"domain-of-many-words-".repeat(3)}.${"w".repeat(60)}.example`.replace("-.", "."), "--price", "0.02", "--currency", "USD");
  for (const [device, viewport] of devices) {
    const p = await login(operator, { viewport });
    // A server that runs takes up within two seconds what a command put in: until then the page is asked for again.
    const listed = p.page.getByRole("link", { name: "www.globex.example" });
    for (let looks = 0; looks < 50 && (looks === 0 || await listed.count() === 0); looks++) await p.aisle("Domains");
    await listed.waitFor();
    await fits(p, `domains-${device}`);
    await p.press(p.page.getByRole("link", { name: "www.globex.example" }));
    await p.page.getByRole("heading", { name: "www.globex.example", level: 1 }).waitFor();
    await p.press(p.page.getByRole("button", { name: "Start a challenge" }));
    await p.page.getByRole("heading", { name: "Have the domain answer this token" }).waitFor();
    await p.says("https://www.globex.example/.well-known/ramp-verify/");
    await fits(p, `domain-started-${device}`);
    await p.press(p.page.getByRole("button", { name: "Check whether it is answered" }));
    await p.page.getByText("The domain is not verified.").waitFor();
    await p.says("verification_url");
    await fits(p, `domain-refused-${device}`);
    await p.aisle("Domains");
    await p.page.getByLabel("State").selectOption("lapsed");
    await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
    await p.says("No domain fits");
    await p.check();
  }
  const p = await login(viewer);
  await p.aisle("Domains");
  await p.press(p.page.getByRole("link", { name: "www.globex.example" }));
  await p.page.getByRole("table", { name: "Challenges, the newest first" }).waitFor();
  assert.equal(await p.page.getByRole("button", { name: "Start a challenge" }).count(), 0);
  await p.check();
});

test("an account is opened and paid into, something is bought, and it is seen", async () => {
  const p = await login(operator);
  await p.aisle("Accounts");
  await p.page.getByLabel("Buyer:").fill(buyer);
  await p.page.getByLabel("Currency").fill("usd");
  await p.press(p.page.getByRole("button", { name: "Open", exact: true }));
  await p.page.getByRole("heading", { name: buyer, level: 1 }).waitFor();
  await p.page.getByText("Record, limit, suspend").click();
  await p.page.getByLabel("Amount (USD)").fill("250");
  await p.page.getByLabel("Your reference").fill("INV-7");
  await p.press(p.page.getByRole("button", { name: "Record", exact: true }));
  await p.page.getByText("250.00 USD").first().waitFor();
  await p.says("Paid in");

  const bought = join(folder, "bought.json");
  const as = ["--data", join(folder, "buyer"), "--as", buyer];
  for (const path of ["lamp", "jp", "ar", "odd", "tokens", long.slice(0, 120)]) {
    await run("ramp", "buy", desk.url, `https://www.example.com/${path}`, ...as, "--use", "ai-input", "--yes", "--save", path === "lamp" ? bought : join(folder, `${path.slice(0, 9)}.json`));
  }
  const filed = await run("ramp", "report", bought, ...as, "--quantity", "1", "--use", "ai-input");
  reported = `${filed.stdout}${filed.stderr}`.match(/rep-[0-9A-Za-z]+/)[0];
  // from the question to the text by one command, at the other address of the lamp's page
  const { stdout, stderr } = await run("ramp", "fetch", "--url", desk.url, ...as, "--max", "0.05USD", "--yes", "one lamp lights a room");
  assert.match(stdout, /One lamp lights a room/);
  assert.match(stderr, /Bought for 0\.02 USD: txn-.*its use is reported/);

  await p.aisle("Purchases");
  assert.equal(await p.page.getByRole("table", { name: "Purchases" }).getByRole("row").count(), 8);
  await p.says("reported in time");
  await p.press(p.page.getByRole("row", { name: /\/lamp/ }).getByRole("link").first());
  await p.page.getByRole("heading", { name: "Receipts" }).waitFor();
  for (const text of ["The lamp", "0.02 USD", "Use reported", "Delivered", "reported in time", "settled"]) await p.says(text);
  await p.press(p.page.getByRole("link", { name: "Bought", exact: true }));
  await p.press(p.page.getByRole("button", { name: "Verify", exact: true }));
  await p.page.getByRole("heading", { name: "True" }).waitFor();
  await p.press(p.page.getByRole("link", { name: "The purchase, and what came of it" }));
  await p.page.getByRole("heading", { name: "Purchase", exact: true }).waitFor();

  await p.press(p.page.getByRole("link", { name: "Sales", exact: true }));
  await p.says("0.12 USD"); // six at two cents; what is held is not earned yet
  await p.aisle("Deliveries");
  assert.equal(await p.page.getByRole("table", { name: "Deliveries" }).getByRole("row").count(), 12);
  await p.page.getByLabel("Result").selectOption("under way");
  await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
  await p.says("Nothing fits what you chose");
  await p.press(p.page.getByRole("link", { name: "Show all" }));
  await p.press(p.page.getByRole("table", { name: "Deliveries" }).getByRole("link").first());
  await p.page.getByRole("heading", { name: "Delivery", exact: true }).waitFor();
  await p.says("of the whole text");
  await p.press(p.page.getByRole("link", { name: "Delivered", exact: true }));
  await p.press(p.page.getByRole("button", { name: "Verify", exact: true }));
  await p.page.getByRole("heading", { name: "True" }).waitFor();
  await p.press(p.page.getByRole("link", { name: "Sales", exact: true }));
  await p.aisle("Offers");
  await p.press(p.page.getByRole("table", { name: "Offers" }).getByRole("link").first());
  await p.page.getByText("The offer, as it was signed").click();
  await p.says("offer_id");
  await p.check();
});

test("a subscription is given, and its quotas are set", async () => {
  const p = await login(operator);
  await p.aisle("Licences", "Licences and subscriptions");
  await p.page.getByLabel("Id, which buyers name").fill("sub-acme");
  await p.page.getByLabel("Buyer: domain/id").fill(buyer);
  await p.page.getByLabel("How much").fill("1000");
  await p.page.getByLabel("Per", { exact: true }).fill("1");
  await p.press(p.page.getByRole("button", { name: "Give" }));
  await p.page.getByRole("heading", { name: "sub-acme" }).waitFor();
  await p.says("0 of 1000 purchases period: 1 month");
  await p.page.getByLabel("How much").fill("10");
  await p.page.getByLabel(/^Of/).selectOption("burst");
  await p.page.getByLabel("Per", { exact: true }).fill("90");
  await p.page.getByLabel(/^Period/).selectOption("minutes");
  await p.press(p.page.getByRole("button", { name: "Set" }));
  await p.page.getByText("0 of 10 purchases in a short span").waitFor();
  await p.says("period: 90 minutes");
  await p.check();
});

test("reports are downloaded in both forms", async () => {
  const p = await login(viewer);
  await p.aisle("Downloads");
  for (const [report, form, says] of [["Revenue", "CSV", "USD,0.12,6"], ["Revenue", "JSON lines", `"amount":"0.12"`], ["Purchases", "CSV", "per_token"], ["Purchases", "JSON lines", "https://www.example.com/lamp"], ["Compliance", "CSV", `${buyer},7,2,`]]) {
    const download = await p.download(p.page.getByRole("button", { name: `${report} as ${form}` }));
    const text = await readFile(await download.path(), "utf8");
    assert.ok(text.includes(says), `${report} as ${form}: ${text}`);
    assert.match(download.suggestedFilename(), form === "CSV" ? /^[a-z]+-[\d-]+\.csv$/ : /^[a-z]+-[\d-]+\.jsonl$/);
  }
  const invoice = p.page.getByRole("region", { name: "Invoice" });
  await invoice.getByLabel("Account").fill(buyer);
  await invoice.getByLabel("Currency").fill("USD");
  const download = await p.download(invoice.getByRole("button", { name: "Invoice as CSV" }));
  assert.equal((await readFile(await download.path(), "utf8")).trim().split("\n").length, 7);
  await p.check();
});

test("a dispute is read with its evidence, and decided", async () => {
  const dispute = (...more) => run("ramp", "dispute", join(folder, "bought.json"), "--data", join(folder, "buyer"), "--as", buyer, "--report-id", reported, "--reason", "wrong-content", ...more);
  const first = ["--id", "d-1", "--description", `not a lamp ${hostile}`];
  const { stdout, stderr } = await dispute(...first);
  const id = `${stdout}${stderr}`.match(/dsp-[0-9A-Za-z]+/)[0];
  const v = await login(viewer);
  await v.aisle("Disputes");
  await v.press(v.page.getByRole("table", { name: "Disputes" }).getByRole("link").first());
  await v.page.getByRole("heading", { name: "What was answered" }).waitFor();
  assert.equal(await v.page.getByRole("button", { name: "Decide" }).count(), 0);
  for (const [device, viewport] of devices) {
    const p = await login(operator, { viewport });
    await p.page.goto(`${desk.url}/console/sales/disputes/${id}`);
    for (const text of ["not a lamp <script>", "this front desk", "HTTP 200"]) await p.says(text);
    await fits(p, `dispute-${device}`);
    await p.check();
  }
  const available = async (p) => {
    await p.aisle("Accounts");
    await p.press(p.page.getByRole("table", { name: "Accounts by their buyers" }).getByRole("link").first());
    await p.page.getByRole("heading", { name: buyer, level: 1 }).waitFor();
    return +(await p.page.getByRole("main").innerText()).match(/Available\s+([\d.]+) USD/)[1];
  };
  // Within a minute a rule decides. Who appeals then is heard by a person, and by nobody else.
  await dispute(...first, "--follow", "--every", "1s");
  await dispute("--id", "d-2", "--appeal", id, "--description", "it is the picture of a lamp");
  const p = await login(operator);
  const before = await available(p);
  await p.aisle("Disputes");
  await p.press(p.page.getByRole("table", { name: "Disputes" }).getByRole("link").first());
  await p.page.getByLabel("Decision").selectOption({ label: "Credit what was charged" });
  await p.press(p.page.getByRole("button", { name: "Decide" }));
  await p.page.getByRole("heading", { name: "Decide" }).waitFor({ state: "detached" });
  for (const text of ["credited", "0.02 USD", "Ana"]) await p.says(text);
  assert.match(await p.page.getByRole("main").innerText(), /State\s+(decided|settled)/); // settled, once it waited for a person
  assert.equal(Math.round(1e4 * (await available(p) - before)), 200); // what the lamp cost
  await p.check();
  await v.check();
});

test("a tenant is put in by a form", async () => {
  const p = await login(operator);
  await p.aisle("Tenants");
  await p.page.getByLabel("Id: small letters, digits and dashes").fill("acme");
  await p.page.getByLabel("Its domains, with spaces between").fill("www.acme.example shop.acme.example");
  await p.page.getByLabel("Price", { exact: true }).fill("0.02");
  await p.page.getByLabel("Currency").fill("USD");
  await p.page.getByLabel("Delivering server").fill("https://www.acme.example");
  await p.press(p.page.getByRole("button", { name: "Add", exact: true }));
  await p.page.getByRole("heading", { name: "The secret that signs its addresses" }).waitFor();
  for (const text of ["www.acme.example", "shop.acme.example", "0.02 USD", "Nothing was pushed yet"]) await p.says(text);
  await fits(p, "tenant");
  await p.page.goto(`${desk.url}/console/sales/tenant?id=acme`);
  assert.equal(await p.page.getByRole("heading", { name: "The secret that signs its addresses" }).count(), 0, "the secret is shown twice");
  await p.aisle("Tenants");
  await p.press(p.page.getByRole("main").getByRole("link", { name: "acme", exact: true }));
  await p.page.getByRole("heading", { name: "Tenant acme" }).waitFor();
  await p.check();
});

test("a viewer sees it all and has nothing to change it with", async () => {
  const p = await login(viewer);
  for (const [name, heading] of aisles) {
    await p.aisle(name, heading);
    assert.equal(await p.page.getByRole("main").locator('form[method="post"]').count(), 0, name);
  }
  await p.check();
});

test("what was bought under a delegation tells whose, and by which id that is revoked", async () => {
  const file = join(folder, "delegation.json");
  await writeFile(file, (await run("ramp", "delegate", "mint", "--data", join(folder, "principal"), "--as", `${principal}/ceo`, "--max-spend", "1.00USD")).stdout);
  const [{ revocation_id }] = JSON.parse((await run("ramp", "delegate", "inspect", file, "--json")).stdout).blocks;
  await run("ramp", "buy", desk.url, "https://www.example.com/lamp", "--data", join(folder, "buyer"), "--as", buyer, "--use", "ai-input", "--yes", "--delegation", file);
  for (const [device, viewport] of devices) {
    const p = await login(viewer, { viewport });
    await p.aisle("Purchases");
    await p.press(p.page.getByRole("table", { name: "Purchases" }).getByRole("link").first());
    await p.page.getByText("Bought for", { exact: true }).waitFor();
    for (const text of [principal, `under the delegation ${revocation_id}`]) await p.says(text);
    await fits(p, `delegated-${device}`);
    await p.check();
  }
});

for (const [device, viewport] of devices) {
  for (const colorScheme of ["light", "dark"]) {
    test(`full pages fit on a ${device}, ${colorScheme}`, async () => {
      const p = await login(operator, { viewport, colorScheme });
      for (const [name, heading] of aisles) {
        await p.aisle(name, heading);
        await fits(p, `${name.replace(" ", "-")}-${device}-${colorScheme}`);
      }
      for (const [aisle, heading, name, table] of [["Purchases", "Purchases", "transaction", "Purchases"], ["Offers", "Offers", "offer", "Offers"], ["Deliveries", "Deliveries", "delivery", "Deliveries"], ["Accounts", "Accounts", "account", "Accounts by their buyers"], ["Licences", "Licences and subscriptions", "grant", "Licences and subscriptions by their ids"]]) {
        await p.aisle(aisle, heading);
        await p.press(p.page.getByRole("table", { name: table }).getByRole("link").first());
        await p.page.locator("dl.facts-of").first().waitFor();
        if (name === "account") await p.page.getByText("Record, limit, suspend").click();
        await fits(p, `${name}-${device}-${colorScheme}`);
      }
      await p.aisle("Reports due");
      await p.press(p.page.getByRole("navigation", { name: "States" }).getByRole("link", { name: /^Open/ }));
      await fits(p, `open-${device}-${colorScheme}`);
      await p.check();
    });
  }
}

// english are texts of a page: those that are wholly in Latin letters, and sentences. What somebody named or wrote, and code, is marked as such.
const english = () => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  for (let node; (node = walker.nextNode());) {
    if (node.parentElement.closest("bdi, code, pre, svg, textarea, [lang=en], script, style, .who")) continue;
    const text = node.data.trim();
    if (/^[A-Za-z][a-z]+(?:[ ,:;'’.-]+[A-Za-z]+)*[.:]?$/.test(text) || /[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}/.test(text)) found.add(text);
  }
  return [...found];
};

// Names, which are the same in every language.
const names = /^(.*frontdesk keys.*|Frontdesk|Shop|Ana|main|texts|hmac|cloudfront|akamai|fastly|[a-z]+\.(md|yaml|json|txt|xml)|Agent Intake|Agentic Intent|Web Bot Auth|Model Context Protocol.*|Article|Asia\/.*|Claude.*|Cursor|Gemini.*|Python|Go|network|address|network address|[a-z.]+\.com|Inspector|curl|llms\.txt|robots\.txt|off|auto|slots|WordPress|Shopify|Shopware|Hugo|Mastodon)$/;

test("in Japanese no page that links lead to says anything in English", async () => {
  const p = await open(browser, desk.url, { locale: "ja" });
  await p.page.goto(`${desk.url}/console/`);
  await p.page.locator("#token").fill(operator);
  await p.press(p.page.locator("main button"));
  const seen = new Set(), waiting = [`${desk.url}/console/`], wrong = [];
  const kind = (address) => { // pages of a kind are alike
    const url = new URL(address);
    return url.pathname.replace(/(receipts|history|questions|offers|transactions|deliveries|disputes|people|visitors|inbox|api|agent|requester|site|edge)\/[^/]+.*$/, "$1/*") + [...url.searchParams.keys()].filter((name) => !/^(id|buyer|currency|days|url|site|name|find|label)$/.test(name)).sort();
  };
  while (waiting.length > 0) {
    const address = waiting.shift();
    await p.page.goto(address);
    const words = (await p.page.evaluate(english)).filter((word) => !names.test(word));
    if (words.length > 0) wrong.push(`${address}: ${words.join(" ")}`);
    for (const link of await p.page.locator("a[href]").evaluateAll((all) => all.map((a) => new URL(a.getAttribute("href"), location.href).href.replace(/#.*/, "")))) {
      if (!link.startsWith(`${desk.url}/console/`) || /\/docs\/|\.(csv|jsonl?|yaml|svg)(\?|$)/.test(link) || seen.has(kind(link))) continue;
      seen.add(kind(link));
      waiting.push(link);
    }
  }
  assert.ok(seen.size > 40, `${seen.size} pages`);
  assert.deepEqual(wrong, []);
  await p.check();
});
