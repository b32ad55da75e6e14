// A page of another site follows what was bought as a stream, with the browser's own EventSource and WebSocket.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch } from "./browser.mjs";
import { start } from "./desk.mjs";

const command = promisify(execFile);
const run = (...args) => command(process.env.FRONTDESK_BINARY, args);
const site = "https://www.example.com";
const requester = (uris = []) => ({ id: "bot", domain: "buyer.example", uris });
let browser, desk, folder, config, page, pages, made = 0;

const publish = async (text, ...then) => {
  const items = { "/live": { articleBody: text, isLiveBroadcast: true }, "/long": { articleBody: "Ein Satz über Suppe. ".repeat(1500) } };
  await writeFile(join(folder, "items.jsonl"), Object.entries(items).map(([path, item]) => JSON.stringify({ "@type": "Article", headline: "An article", url: site + path, ...item })).join("\n"));
  for (const args of then) await run(...args, "--config", config);
};
const call = async (method, message) => (await fetch(`${desk.url}/ramp.v1.ExchangeService/${method}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ver: "1.0", id: `m${made++}`, ...message }),
})).json();

// buy gives the address of a stream.
const buy = async (path) => {
  const { offers: [offer] } = await call("DiscoverResources", { requester: requester([site + path]) });
  const bought = await call("ExecuteTransaction", { offer_id: offer.offer_id, offer_signature: offer.exchange_signature, requester: requester() });
  return bought.package.retrieval.endpoint;
};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-stream-"));
  config = join(folder, "shop.yaml");
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {name: Shop, url: "${site}"}
sources: [{name: pages, path: items.jsonl}]
terms:
  - {match: {path: /live}, access: licensed, price: {model: per_minute, rate: "0.10", currency: USD}}
  - {match: {}, access: licensed, price: {model: free}, delivery: [streaming]}
ramp: {enabled: true, domain: shop.example, signatures: none}
`);
  await publish("Nil to nil.", ["ingest"], ["ramp", "account", "open", "buyer.example/bot", "USD"], ["ramp", "account", "credit", "buyer.example/bot", "10", "USD"]);
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
  pages = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Elsewhere</title>"));
  await new Promise((resolve) => pages.listen(0, "127.0.0.1", resolve));
  page = await (await browser.newContext()).newPage();
  await page.goto(`http://127.0.0.1:${pages.address().port}/`);
});
after(async () => {
  await browser?.close();
  await desk?.stop();
  pages?.close();
  await rm(folder, { recursive: true, force: true });
});

test("EventSource follows a text to its end, and does not ask for it forever", async () => {
  let asked = 0;
  page.on("request", (request) => { if (request.url().includes("/stream?")) asked++; });
  const { text, reason } = await page.evaluate((address) => new Promise((resolve, reject) => {
    let text = "", reason;
    const source = new EventSource(address);
    source.addEventListener("content", (event) => { text += JSON.parse(event.data).content.text; });
    source.addEventListener("end", (event) => { reason = JSON.parse(event.data).end.reason; }); // and it is left open
    source.onerror = () => { if (source.readyState === EventSource.CLOSED) resolve({ text, reason }); };
    setTimeout(() => reject(new Error(`it goes on after ${text.length} characters`)), 30000);
  }), await buy("/long"));
  assert.equal(reason, "complete");
  assert.equal(text.replace(/\s+/g, " ").trim(), "Ein Satz über Suppe. ".repeat(1500).trim());
  assert.equal(asked, 2); // the stream, and once more: nothing
});

for (const [name, follow] of Object.entries({
  EventSource: (address) => new Promise((resolve) => {
    const source = new EventSource(address);
    source.addEventListener("content", (event) => {
      const { text } = JSON.parse(event.data).content;
      window.heard(text);
      if (text === "One to nil.") { source.close(); resolve(text); }
    });
  }),
  WebSocket: (address) => new Promise((resolve) => {
    const socket = new WebSocket(address.replace(/^http/, "ws"), ["frontdesk.delivery.v1"]);
    socket.onmessage = (event) => {
      const { content } = JSON.parse(event.data);
      if (!content) return;
      window.heard(content.text);
      if (content.text === "One to nil.") { socket.close(); resolve(content.text); }
    };
  }),
})) {
  test(`${name} follows what is live`, async () => {
    await publish("Nil to nil.", ["ingest"]);
    const first = new Promise((resolve) => page.exposeFunction("heard", resolve));
    await page.reload(); // so that the page has the function
    const followed = page.evaluate(follow, await buy("/live"));
    assert.match(await first, /to nil\.$/);
    await publish("One to nil.", ["ingest"]);
    assert.equal(await followed, "One to nil.");
    page = await (await browser.newContext()).newPage(); // which has no function yet
    await page.goto(`http://127.0.0.1:${pages.address().port}/`);
  });
}
