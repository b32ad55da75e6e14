// A front desk with an inbox, for the tests of it: the real server, agents that speak to it as they do, people at the console,
// and the business's own system, which is a server of the test.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const command = promisify(execFile);
const run = (...args) => command(process.env.FRONTDESK_BINARY, args);

// postgres is the server that the whole suite has; without it tests run on SQLite alone.
export const postgres = process.env.FRONTDESK_TEST_POSTGRES;
assert.ok(postgres || process.env.FRONTDESK_TEST_ALL !== "1", "FRONTDESK_TEST_POSTGRES is not set, and the whole suite needs it");

// A text that would be code in a page, and is to be nowhere but in the inbox.
export const hostile = `"><script>alert('marker7')</script><img src=x onerror=alert('marker7')>`;

// schema makes an empty place in PostgreSQL, and gives its address.
async function schema() {
  const name = `e2e_${randomBytes(6).toString("hex")}`;
  await command("psql", [postgres, "-qc", `CREATE SCHEMA ${name}`]);
  const address = new URL(postgres);
  address.searchParams.set("search_path", name);
  return { address: address.href, remove: () => command("psql", [postgres, "-qc", `SET client_min_messages = warning; DROP SCHEMA ${name} CASCADE`]) };
}

// furnish starts a front desk with an inbox, on SQLite or PostgreSQL. Its hook answers as `answer` says, and keeps in `told`
// what it took.
export async function furnish(engine) {
  const at = { told: [], answer: 503 };
  const folder = (at.folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-")));
  const config = join(folder, "frontdesk.yaml");
  await writeFile(join(folder, "secret"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const hook = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (at.answer < 300) at.told.push(JSON.parse(body));
    response.writeHead(at.answer).end("{}");
  });
  await new Promise((resolve) => hook.listen(0, "127.0.0.1", resolve));
  let stores = "";
  let places = [];
  if (engine === "PostgreSQL") {
    places = [await schema(), await schema()];
    stores = `store: "${places[0].address}"`;
  }
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: pantry, name: The Pantry, url: https://www.pantry.example}
${stores}
intakes:
  ${places.length ? `vault: "${places[1].address}"` : ""}
  pending: true
  list:
    - id: cooks
      name: Cooks for your party
      description: Says which of our cooks can come, and for how much.
      category: service/matching
      offer_type: quote
      binding: true
      privacy: {data_retention: 30_days}
      person: {after: 1s}
      bind: {requires: [email, full_name], effect: inbox}
      input_schema: {type: object, required: [guests], properties: {guests: {type: integer}, wishes: {type: string}, budget: {type: object}}}
    - id: table
      name: A table at the counter
      description: Keeps a table.
      category: service/matching
      offer_type: reservation
      binding: true
      privacy: {data_retention: none}
      person: {after: 1s}
      bind: {requires: [email], effect: webhook, webhook: {url: "http://127.0.0.1:${hook.address().port}/", secret_file: ${join(folder, "secret")}}}
      input_schema: {type: object, properties: {guests: {type: integer}}}
`);
  const operator = (await run("console", "token", "Ana", "--config", config)).stdout;
  const viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  const [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
  at.url = desk.url;
  Object.assign(at, { operator, viewer });
  at.stop = async () => {
    await browser.close();
    await desk.stop();
    hook.close();
    for (const place of places) await place.remove();
    await rm(folder, { recursive: true, force: true });
  };

  // post sends JSON as an agent does.
  async function post(path, body) {
    const response = await fetch(at.url + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    return { code: response.status, ...(await response.json()) };
  }
  const agent = { id: "com.example.assistant", platform: "example-chat" };
  const submit = (intake, session, data, who = agent) =>
    post(`/intake/${intake}`, { aip_version: "0.1.0", session_id: session, agent: { ...who, consent_scope: ["intake"] }, intake_data: data });
  const bind = (intake, session, offer, data, who = agent) =>
    post(`/intake/${intake}/bind`, { session_id: session, offer_id: offer, agent: { id: who.id, consent_scope: ["bind"] }, bind_data: data });

  // login opens the console as the holder of a token.
  async function login(token, options) {
    const p = await open(browser, at.url, options);
    await p.page.goto(`${at.url}/console/`);
    await p.page.getByLabel("Token").fill(token);
    await p.press(p.page.getByRole("button", { name: "Log in" }));
    const menu = p.page.getByRole("link", { name: "Menu", exact: true }); // which phones open first
    if (await menu.isVisible()) await menu.click();
    await p.press(p.page.getByRole("link", { name: /^Requests/ }));
    await p.page.getByRole("heading", { name: "Requests", exact: true }).waitFor();
    return p;
  }
  // find opens what belongs to an id, by the inbox's search.
  async function find(p, id) {
    await p.page.goto(`${at.url}/console/inbox`);
    await p.page.getByRole("textbox", { name: "Session, offer or agent" }).fill(id);
    await p.press(p.page.getByRole("main").getByRole("button", { name: "Find" }));
    assert.ok(!p.page.url().includes(id), "what is looked for stands in the address");
  }
  // write answers what is open by hand, up to the preview.
  async function write(p, summary) {
    await p.page.getByLabel("Summary, which a person reads").fill(summary);
    await p.page.getByLabel(/^Details, if any/).fill("price: 780\ncurrency: EUR");
    await p.page.getByLabel("Valid for (days)").fill("3");
    await p.press(p.page.getByRole("button", { name: "Show as the agent will see it" }));
    await p.page.getByRole("heading", { name: "As the agent will see it" }).waitFor();
  }
  return Object.assign(at, { agent, submit, bind, login, find, write });
}
