// The TypeScript SDK's clients, of both generations, against the real program.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { binary, demo, stored } from "./desk.mjs";

const info = { name: "frontdesk-test", version: "1" };
let desk, local;
before(async () => {
  desk = await demo();
  local = stored();
});
after(async () => {
  await desk?.stop();
  local?.remove();
});

const kinds = {
  "SDK 1 over HTTP": () => [new ClientV1(info), new HttpV1(new URL(desk.url))],
  "SDK 1 over standard input": () => [new ClientV1(info), new StdioV1({ command: binary, args: local.args, stderr: "ignore" })],
  "SDK 2 over HTTP, with a handshake": () => [new ClientV2(info), new HttpV2(new URL(desk.url))],
  "SDK 2 over HTTP, without one": () => [new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), new HttpV2(new URL(desk.url))],
  "SDK 2 over HTTP, as it comes": () => [new ClientV2(info, { versionNegotiation: { mode: "auto" } }), new HttpV2(new URL(desk.url))],
  "SDK 2 over standard input": () => [new ClientV2(info), new StdioV2({ command: binary, args: local.args, stderr: "ignore" })],
};

for (const [name, make] of Object.entries(kinds)) {
  describe(name, () => {
    let client;
    before(async () => {
      const [made, transport] = make();
      client = made;
      await client.connect(transport);
    });
    after(() => client?.close());

    test("tells what it is and how to use it", () => {
      assert.equal(client.getServerVersion().name, "frontdesk");
      assert.match(client.getInstructions(), /Call the tool ask/);
      assert.ok(client.getServerCapabilities().tools);
      assert.ok(client.getServerCapabilities().resources);
    });

    test("offers ask and await with the protocol's schemas", async () => {
      const { tools } = await client.listTools();
      const ask = tools.find((tool) => tool.name === "ask");
      assert.ok(ask.title && ask.description.length >= 20);
      assert.deepEqual(ask.inputSchema.required, ["query"]);
      assert.deepEqual(ask.inputSchema.properties.query.required, ["text"]);
      assert.equal(ask.annotations.readOnlyHint, true);
      const later = tools.find((tool) => tool.name === "await");
      assert.deepEqual([...later.inputSchema.required].sort(), ["action", "promise_token"]);
      assert.deepEqual(later.inputSchema.properties.action.enum, ["checkin", "cancel"]);
    });

    test("answers a question as /ask does", async () => {
      const result = await client.callTool({ name: "ask", arguments: { query: { text: "quick vegan dinner", limit: 5 } } });
      assert.ok(!result.isError);
      const object = JSON.parse(result.content[0].text);
      assert.deepEqual(result.structuredContent, object);
      assert.equal(result._meta.response_type, "answer");
      assert.equal(result._meta.version, "0.55");
      assert.ok(object.results.length > 0 && object.results[0]["@type"]);
      if (name.includes("HTTP")) {
        const same = await desk.ask({ query: { text: "quick vegan dinner", limit: 5 } });
        assert.deepEqual(object.results.map((item) => item.url), same.results.map((item) => item.url));
      }
    });

    test("tells progress as items are found", async () => {
      const told = [];
      await client.callTool({ name: "ask", arguments: { query: { text: "quick vegan dinner", limit: 5 } } }, ...(client instanceof ClientV1 ? [undefined] : []), { onprogress: (p) => told.push(p) });
      assert.ok(told.every((p, i) => p.message && p.progress <= p.total && (i === 0 || p.progress > told[i - 1].progress)));
      // Of what comes in one piece with the result these clients drop the progress, as over a pipe it may all do.
      if (name.includes("HTTP")) assert.ok(told.length > 0);
    });

    test("tells a failure from an outcome", async () => {
      const nothing = await client.callTool({ name: "ask", arguments: { query: { text: "zzyzx qwrtp" } } });
      assert.ok(!nothing.isError);
      assert.equal(nothing.structuredContent.error.code, "NO_RESULTS");
      const wrong = await client.callTool({ name: "ask", arguments: { query: {} } });
      assert.equal(wrong.isError, true);
      assert.equal(JSON.parse(wrong.content[0].text).error.code, "INVALID_QUERY");
      await assert.rejects(client.callTool({ name: "no-such-tool", arguments: {} }));
    });

    test("gives items as resources", async () => {
      const { resources } = await client.listResources();
      assert.ok(resources.length >= 40);
      const { contents } = await client.readResource({ uri: resources[0].uri });
      assert.equal(JSON.parse(contents[0].text).url, resources[0].uri);
      await assert.rejects(client.readResource({ uri: "https://nowhere.example/" }), /not found/i);
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.equal(resourceTemplates.length, 1);
    });
  });
}

test("all items are listed, page by page, and what is blocked is not among them", async () => {
  const client = new ClientV1(info);
  await client.connect(new HttpV1(new URL(desk.url)));
  const uris = [];
  let cursor;
  do {
    const page = await client.listResources(cursor ? { cursor } : {});
    uris.push(...page.resources.map((resource) => resource.uri));
    cursor = page.nextCursor;
  } while (cursor);
  await client.close();
  assert.equal(new Set(uris).size, uris.length);
  assert.ok(uris.length > 100, `${uris.length} items`);
  assert.equal(uris.some((uri) => uri.includes("/drafts/")), false);
});
