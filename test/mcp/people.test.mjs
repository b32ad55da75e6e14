// What a person is asked and what is promised for later, through the TypeScript SDK's clients of both generations: the form
// comes to the person, what he chooses counts, who declines is answered, and the tool await has the answer, or ends the work.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { binary, serve } from "./desk.mjs";

const info = { name: "frontdesk-test", version: "1" };
let folder, config, desk;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "frontdesk-mcp-"));
  config = join(folder, "frontdesk.yaml");
  writeFileSync(join(folder, "lamps.json"), JSON.stringify(Array.from({ length: 12 }, (_, n) => ({
    "@type": "Product", url: `https://lamps.example/${n}`, name: `Lamp ${n}`, description: "A lamp for long evenings.", color: ["red", "white", "black"][n % 3],
    offers: { "@type": "Offer", price: 10 + 10 * n, priceCurrency: "EUR" },
  }))));
  writeFileSync(config, `
listen: 127.0.0.1:0
data: ${join(folder, "data")}
metrics: {listen: "off"}
sources: [{path: lamps.json}]
ask:
  elicit: {mode: auto, more_than: 5}
  promise: {slow: [{match: long, for: 300ms}, {match: evenings, for: 1h}]}
`);
  execFileSync(binary, ["ingest", "--config", config, join(folder, "lamps.json")], { stdio: "ignore" });
  desk = await serve("--config", config);
});
after(async () => {
  await desk?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

const can = { capabilities: { elicitation: {} } };
const stdio = () => ({ command: binary, args: ["mcp", "--config", config], stderr: "ignore" });

// Each makes a client whose person answers a form by answer(params), and the transport to connect it by.
const people = {
  "SDK 1 over standard input": (answer) => {
    const client = new ClientV1(info, can);
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params));
    return [client, new StdioV1(stdio())];
  },
  "SDK 2 over standard input": (answer) => {
    const client = new ClientV2(info, can);
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params));
    return [client, new StdioV2(stdio())];
  },
  "SDK 2 over HTTP, without a handshake": (answer) => {
    const client = new ClientV2(info, { ...can, versionNegotiation: { mode: { pin: "2026-07-28" } } });
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params));
    return [client, new HttpV2(new URL(desk.url))];
  },
};

for (const [name, make] of Object.entries(people)) {
  describe(name, () => {
    let client, forms, answer;
    before(async () => {
      const [made, transport] = make((params) => { forms.push(params); return answer(params); });
      client = made;
      await client.connect(transport);
    });
    after(() => client?.close());
    const ask = async (text) => {
      forms = [];
      return (await client.callTool({ name: "ask", arguments: { query: { text, limit: 50 } } })).structuredContent;
    };

    test("a vague question is put to the person, and what he chooses counts", async () => {
      answer = ({ requestedSchema }) => {
        const [cheap] = JSON.stringify(requestedSchema.properties.price).match(/up to €\d+/);
        return { action: "accept", content: { price: cheap } };
      };
      const response = await ask("lamp");
      assert.equal(forms.length, 1, "he is asked once");
      assert.match(forms[0].message, /^12 items fit\./);
      assert.deepEqual(Object.keys(forms[0].requestedSchema.properties).sort(), ["color", "price"]);
      assert.equal(response._meta.response_type, "answer");
      const most = response._meta.understood.filters.find((filter) => filter.name === "price").max;
      const prices = response.results.map((item) => item.offers.price);
      assert.ok(prices.length > 0 && prices.length < 12 && prices.every((price) => price <= most), `${prices} for at most ${most}`);
    });

    test("who declines gets the questions as the result", async () => {
      answer = () => ({ action: "decline" });
      const response = await ask("lamp");
      assert.equal(forms.length, 1);
      assert.equal(response._meta.response_type, "elicitation");
      assert.equal(response.elicitation.questions[0].id, "price");
    });

    test("a question that says enough is answered at once", async () => {
      const response = await ask("red lamp under 60 euros");
      assert.equal(forms.length, 0);
      assert.deepEqual(response.results.map((item) => item.name).sort(), ["Lamp 0", "Lamp 3"]);
    });

    test("a promise is awaited, or cancelled, by the tool await", async () => {
      const later = async (token, action) => (await client.callTool({ name: "await", arguments: { promise_token: token, action } })).structuredContent;
      let response = await ask("long red lamp under 60 euros");
      assert.equal(response._meta.response_type, "promise");
      while (response.promise) response = await later(response.promise.token, "checkin");
      assert.deepEqual(response.results.map((item) => item.name).sort(), ["Lamp 0", "Lamp 3"]);

      const { promise } = await ask("red lamp for evenings under 60 euros");
      assert.equal((await later(promise.token, "cancel"))._meta.response_type, "failure");
      assert.equal((await later(promise.token, "checkin")).error.code, "CANCELLED");
    });
  });
}

test("the languages of the request's header are heeded over HTTP", async () => {
  const client = new ClientV2(info);
  await client.connect(new HttpV2(new URL(desk.url), { requestInit: { headers: { "Accept-Language": "de-DE, en;q=0.5" } } }));
  const { structuredContent } = await client.callTool({ name: "ask", arguments: { query: { text: "zzyzx qwrtp" } } });
  assert.equal(structuredContent._meta.language, "de");
  assert.match(structuredContent.error.message, /^Dazu gibt es hier nichts/);
  await client.close();
});
