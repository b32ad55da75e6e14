// An agent finds a licensed item by the tool ask, buys it and reports by tools, with the TypeScript SDK's clients of both generations:
// they hold each result against the schema that the tool declares.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { binary } from "./desk.mjs";
import { startShop } from "../ramp/server.mjs";
import { agentPublic, offerIsGood, sha256, signedRequester } from "../ramp/sign.mjs";

const domain = "buyer.example.com";
const text = "The soup of lentils is stirred once more, and salted.";
const info = { name: "frontdesk-test", version: "1" };
let desk, keys;

before(async () => {
  process.env.RAMP_FRONTDESK = binary;
  desk = await startShop(
    { "content/premium/a.md": `---\ntitle: Lentil soup\n---\n\n${text}\n`, "content/open.md": "---\ntitle: Onion soup\n---\n\nOnions.\n" },
    `${domain}/research-bot`,
    agentPublic,
  );
  keys = (await (await fetch(`${desk.url}/exchange/v1/keys`)).json()).keys;
});
after(() => desk?.stop());

const clients = {
  "SDK 1": () => [new ClientV1(info), new HttpV1(new URL(`${desk.url}/mcp`))],
  "SDK 2, with a handshake": () => [new ClientV2(info), new HttpV2(new URL(`${desk.url}/mcp`))],
  "SDK 2, without one": () => [new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), new HttpV2(new URL(`${desk.url}/mcp`))],
};

for (const [name, make] of Object.entries(clients)) {
  describe(name, () => {
    let client;
    before(async () => {
      const [made, transport] = make();
      client = made;
      await client.connect(transport);
      await client.listTools(); // from which it knows the schemas of results
    });
    after(() => client?.close());

    const call = async (tool, args) => {
      const result = await client.callTool({ name: tool, arguments: args });
      return { failed: Boolean(result.isError), ...result.structuredContent };
    };
    const requester = (uris) => signedRequester({ id: "research-bot", domain, uris, intended_use: ["ai-input"] });

    test("from the question to the report", async () => {
      const asked = await call("ask", { query: { text: "lentil soup" } });
      const item = asked.results.find((one) => one.url.endsWith("/premium/a"));
      assert.ok(!JSON.stringify(asked).includes("stirred once more, and salted"), "the whole text is given away");
      let quoted;
      do { // its key is known within a second
        quoted = await call("ramp_discover", { id: `q-${name}`, requester: requester([item.url]) });
      } while (quoted.code === "unauthenticated");
      assert.equal(quoted.failed, false, JSON.stringify(quoted));
      const [offer] = quoted.offers;
      assert.ok(offerIsGood(offer, keys));
      assert.equal(offer.pricing.rate, 0.02);

      const purchase = { id: `b-${name}`, requester: requester([]), offer_id: offer.offer_id, offer_signature: offer.exchange_signature };
      const bought = await call("ramp_execute", purchase);
      assert.equal(bought.failed, false, JSON.stringify(bought));
      assert.equal(bought.denial_reason, undefined);
      const again = await call("ramp_execute", purchase);
      assert.equal(again.transaction_id, bought.transaction_id);

      const fetched = Buffer.from(await (await fetch(bought.package.retrieval.endpoint)).arrayBuffer());
      assert.equal(sha256(fetched), offer.identity.content_hash);
      assert.equal(fetched.toString(), text);

      const here = bought.package.retrieval.endpoint.replace(/\/deliver\/.*/, "/exchange/v1/status");
      const owed = await call("ramp_status", { requester: signedRequester({ id: "research-bot", domain, uris: [here] }) });
      assert.equal(owed.failed, false, JSON.stringify(owed));
      assert.ok(owed.reports_owed.some((one) => one.transaction_id === bought.transaction_id && one.billing_id === bought.billing_id));

      const { transaction_id, billing_id } = bought;
      const filed = await call("ramp_report", { id: `r-${name}`, transaction_id, billing_id, usage: { function: ["FUNCTION_AI_INPUT"], consumed_quantity: 13 } });
      assert.equal(filed.accepted, true, JSON.stringify(filed));
      const settled = await call("ramp_status", { requester: signedRequester({ id: "research-bot", domain, uris: [here] }) });
      assert.deepEqual(settled.reports_owed, []);

      const complaint = { id: `d-${name}`, transaction_id, billing_id, report_id: filed.report_id, reason: "DISPUTE_REASON_DELIVERY_FAILED" };
      const unsigned = await call("ramp_dispute", complaint);
      assert.ok(unsigned.failed && unsigned.code === "unauthenticated", JSON.stringify(unsigned));
      const signed = { ...complaint, requester: signedRequester({ id: "research-bot", domain, uris: [JSON.parse(/\["[^"]*"\]/.exec(unsigned.message)[0])[0]] }) };
      const disputed = await call("ramp_dispute", signed);
      assert.deepEqual([disputed.failed, disputed.accepted, disputed.status], [false, true, "DISPUTE_STATUS_EVIDENCE_NEEDED"], JSON.stringify(disputed));
      assert.equal((await call("ramp_dispute", signed)).dispute_id, disputed.dispute_id);
    });

    test("from the question to the text in two calls", async () => {
      const asked = await call("ask", { query: { text: "lentil soup" } });
      const item = asked.results.find((one) => one.url.endsWith("/premium/a"));
      const wanted = { id: `f-${name}`, requester: requester([item.url]) };
      const dear = await call("fetch_licensed", wanted);
      assert.deepEqual([dear.failed, dear.text, dear.cheapest], [false, undefined, { amount: 0.02, currency: "USD" }], JSON.stringify(dear));
      const got = await call("fetch_licensed", { ...wanted, max: { amount: 0.05, currency: "USD" } });
      assert.equal(got.text, text, JSON.stringify(got));
      assert.deepEqual([got.sha256, got.cost], [sha256(Buffer.from(text)), { amount: 0.02, currency: "USD" }]);
      const again = await call("fetch_licensed", wanted);
      assert.deepEqual([again.transaction_id, again.text], [got.transaction_id, text]);
      const { transaction_id, billing_id } = got;
      const filed = await call("ramp_report", { id: `fr-${name}`, transaction_id, billing_id, usage: { function: ["FUNCTION_AI_INPUT"], consumed_quantity: 13 } });
      assert.equal(filed.accepted, true, JSON.stringify(filed));
    });

    test("failures are results that say what to do", async () => {
      const unsigned = await call("ramp_discover", { id: "q", requester: { id: "research-bot", domain, uris: ["https://www.example.com/premium/a"] } });
      assert.ok(unsigned.failed && unsigned.code === "unauthenticated" && unsigned.message.includes("sign"), JSON.stringify(unsigned));
      const unknown = await call("ramp_report", { id: "r", transaction_id: "txn-1", billing_id: "bill-1", usage: { function: ["FUNCTION_SEARCH"], consumed_quantity: 1 } });
      assert.ok(unknown.failed && unknown.code === "not_found", JSON.stringify(unknown));
    });
  });
}
