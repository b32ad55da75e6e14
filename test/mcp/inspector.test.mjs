// The inspector's command line against the real program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { binary, demo, stored } from "./desk.mjs";

const run = promisify(execFile);
let desk, local;
before(async () => {
  desk = await demo();
  local = stored();
});
after(async () => {
  await desk?.stop();
  local?.remove();
});

const inspect = async (...args) => JSON.parse((await run("mcp-inspector", ["--cli", ...args], { maxBuffer: 1 << 24 })).stdout);
const overHttp = (...args) => inspect(desk.url, "--transport", "http", ...args);

test("the tools' schemas are portable", async () => {
  const { tools } = await overHttp("--method", "tools/list", "--strict"); // ends with 6 if one is not
  assert.equal(tools[0].name, "ask");
});

test("a question is answered over HTTP", async () => {
  const result = await overHttp("--method", "tools/call", "--tool-name", "ask", "--tool-arg", 'query={"text":"quick vegan dinner","limit":3}');
  assert.equal(result._meta.response_type, "answer");
  assert.equal(result.structuredContent.results.length, 3);
});

test("a question is answered over standard input", async () => {
  const result = await inspect(binary, ...local.args, "--method", "tools/call", "--tool-name", "ask", "--tool-arg", 'query={"text":"quick vegan dinner","limit":3}');
  assert.equal(result.structuredContent.results.length, 3);
});

test("a resource is listed and read", async () => {
  const { resources } = await overHttp("--method", "resources/list");
  const { contents } = await overHttp("--method", "resources/read", "--uri", resources[0].uri);
  assert.equal(JSON.parse(contents[0].text).url, resources[0].uri);
});

test("an unknown tool is an error", async () => {
  await assert.rejects(overHttp("--method", "tools/call", "--tool-name", "no-such-tool"), (error) => error.code !== 0);
});
