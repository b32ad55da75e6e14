// A desktop assistant starts `frontdesk mcp --buyer` over standard input and buys for a person: at the Exchanges of a market, and through its
// Broker, with the TypeScript SDK's clients of both generations, which hold each result against the schema that the tool declares.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { binary } from "./desk.mjs";

const info = { name: "frontdesk-test", version: "1" };
let market, folder, places;

before(async () => {
  market = spawn(binary, ["demo", "--market", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  const [url, dir] = await new Promise((resolve, reject) => {
    let output = "";
    market.once("exit", (code) => reject(new Error(`the market ended with ${code}: ${output}`)));
    market.stdout.on("data", (chunk) => {
      output += chunk;
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/[^]*stores are in (\S+) and/.exec(output);
      if (found) resolve([found[1], found[2]]);
    });
  });
  folder = dir;
  const page = await (await fetch(url)).text();
  places = Object.fromEntries(JSON.parse(/<script type="application\/json" id="places">(.*?)<\/script>/s.exec(page)[1]).map((p) => [p.id, p.address]));
});
after(() => new Promise((resolve) => { market.once("exit", resolve); market.kill("SIGTERM"); }));

// flags are the arguments of one who buys with the key of the market's agent, and a wallet of its own.
const flags = (data, ...more) => [
  "mcp", "--buyer", "--config", join(folder, "agent", "frontdesk.yaml"), "--data", data, "--set", `keys=${join(folder, "agent", "keys")}`, "--as", "agent.localhost/reading-bot",
  "--site", places.review, "--limit", "0.03XTS/month", ...more,
];

const clients = {
  "SDK 1": (args) => [new ClientV1(info), new StdioV1({ command: binary, args, stderr: "inherit" })],
  "SDK 2": (args) => [new ClientV2(info), new StdioV2({ command: binary, args, stderr: "inherit" })],
};
const ways = {
  "at the Exchanges": { more: () => [], offers: 2, total: 0.015, spent: 0.015, exchange: /south\.localhost/ },
  "through the Broker": { more: () => ["--broker", places.broker], offers: 1, total: 0.0165, spent: 0.0165, exchange: /^south\.localhost$/ },
};

for (const [name, make] of Object.entries(clients)) {
  for (const [way, want] of Object.entries(ways)) {
    describe(`${name}, ${way}`, () => {
      let client, data;
      const open = async () => {
        const [made, transport] = make(flags(data, ...want.more()));
        client = made;
        await client.connect(transport);
        await client.listTools(); // from which it knows the schemas of results
      };
      before(() => { data = mkdtempSync(join(tmpdir(), "frontdesk-buyer-")); return open(); });
      after(async () => { await client?.close(); rmSync(data, { recursive: true }); });

      const call = async (tool, args) => {
        const result = await client.callTool({ name: tool, arguments: args });
        return { failed: Boolean(result.isError), ...result.structuredContent };
      };

      test("from the question to the dispute, within the person's limit", async () => {
        const found = await call("search", { query: "what is inside the dredging contract?" });
        const item = found.items.find((one) => one.for_sale && one.url.endsWith("/premium/dredging-contract"));
        assert.ok(item, JSON.stringify(found));
        assert.ok(!JSON.stringify(found).includes("it is open for both sides"), "the whole text is given away");
        const quoted = await call("quote", { url: item.url });
        assert.equal(quoted.offers?.length, want.offers, JSON.stringify(quoted));
        const [offer] = quoted.offers;
        const byWords = await call("quote", { query: "whose names stand in the land register?" }); // only a Broker finds what nobody can name
        if (want.offers === 1) assert.match(byWords.offers?.[0].url ?? JSON.stringify(byWords), /\/premium\/who-owns-the-waterfront$/);
        else assert.deepEqual([byWords.failed, byWords.code], [true, "invalid"], JSON.stringify(byWords));
        assert.match(offer.exchange, want.exchange);
        assert.deepEqual([offer.total ?? offer.price, offer.within_limits], [{ amount: want.total, currency: "XTS" }, true]);
        const bought = await call("buy", { purchase_id: offer.purchase_id });
        assert.equal(bought.failed, false, JSON.stringify(bought));
        if (want.offers === 1) {
          assert.deepEqual([bought.broker_fee, bought.broker], [{ amount: 0.0015, currency: "XTS" }, places.broker]);
          assert.ok(bought.passed_over.some((one) => one.exchange === "north.localhost"), JSON.stringify(bought));
        }

        // A new program goes on with what the one before it bought.
        await client.close();
        await open();
        const { transaction_id } = bought;
        const text = await call("fetch", { transaction_id });
        assert.match(text.text, /it is open for both sides\.\s*$/);
        assert.match(text.checked, /byte for byte/);
        const early = await call("dispute", { transaction_id, reason: "incomplete-content" });
        assert.deepEqual([early.failed, early.code], [true, "invalid"]);
        assert.ok((await call("report", { transaction_id, displayed_to_user: true })).report_id);
        assert.ok((await call("dispute", { transaction_id, reason: "incomplete-content" })).dispute_id);

        // The wallet is as full as it was: a second purchase would be too much.
        const dear = await call("quote", { url: item.url });
        assert.deepEqual([dear.offers[0].within_limits, dear.already_bought.length], [want.spent + want.total <= 0.03, 1], JSON.stringify(dear));
        if (want.offers === 1) {
          const refused = await call("buy", { purchase_id: dear.offers[0].purchase_id });
          assert.deepEqual([refused.failed, refused.code], [true, "over_limit"], JSON.stringify(refused));
        }
        const spent = await call("spending", {});
        assert.deepEqual(spent.limits.map((one) => one.spent.amount), [want.spent]);
      });
    });
  }
}
