// The OpenAPI description that a running server gives, held against the OpenAPI 3.1 schema by somebody else's
// validator, and against what the same server answers: each answer by the schema of its operation, status and type.
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020 from "ajv/dist/2020.js";
import formats from "ajv-formats";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { demo } from "./desk.mjs";

let desk, document, ajv;
before(async () => {
  desk = await demo();
  document = await (await fetch(`${desk.url}/openapi.json`)).json();
  ajv = new Ajv2020({ strict: false, allErrors: true });
  formats(ajv);
  ajv.addSchema({ $id: "https://desk.example/openapi.json", ...document });
});
after(async () => { await desk?.stop(); });

const pointer = (...parts) => "#/" + parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");

// fits returns what the description says is wrong with a value at a place of it; nothing, where nothing is.
function fits(value, ...place) {
  const validate = ajv.getSchema("https://desk.example/openapi.json" + pointer(...place));
  assert.ok(validate, `there is no schema at ${place.join(" ")}`);
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}

// described asks and holds the answer against its operation's description.
async function described(path, operation, init = {}) {
  const method = (init.method ?? "GET").toLowerCase();
  const response = await fetch(desk.url + path, init);
  const status = String(response.status);
  const told = document.paths[operation][method].responses;
  const place = told[status]?.$ref ? told[status].$ref.slice(2).split("/") : ["paths", operation, method, "responses", status];
  assert.ok(told[status], `${method} ${path} answers ${status}, which is not described`);
  const kind = response.headers.get("content-type").split(";")[0];
  const found = place.reduce((at, part) => at[part], document);
  const name = Object.keys(found.content ?? {}).find((have) => have.split(";")[0] === kind);
  assert.ok(name, `${method} ${path} answers ${kind}, and ${Object.keys(found.content ?? {})} are described`);
  const text = await response.text();
  if (kind !== "application/json" || !found.content[name].schema) return text;
  assert.equal(fits(JSON.parse(text), ...place, "content", name, "schema"), "", `${method} ${path}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

const post = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

test("the description is OpenAPI 3.1", async () => {
  const result = await new Validator({ strict: true }).validate(structuredClone(document));
  assert.ok(result.valid, JSON.stringify(result.errors, null, 1));
  assert.match(document.openapi, /^3\.1\./);
  const broken = await new Validator({ strict: true }).validate({ ...structuredClone(document), paths: { ask: {} } });
  assert.ok(!broken.valid, "a path without a slash is valid to this validator");
});

test("the server that it names is the one that gave it, and the map leads on", async () => {
  assert.deepEqual(document.servers, [{ url: desk.url }]);
  for (const { url } of document.servers) assert.equal((await fetch(`${url}/readyz`)).status, 200);
});

test("operations have ids of their own, and what they refer to is there", () => {
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((operation) => operation.operationId));
  assert.equal(new Set(ids).size, ids.length);
  for (const [, ref] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    assert.ok(ref.split("/").reduce((at, part) => at?.[part], document), `${ref} is not there`);
  }
});

test("answers are as they are described", async () => {
  const requests = [
    { query: { text: "a quick vegan dinner" } },
    { query: { text: "a lamp", site: "shop", itemType: "Product", limit: 3 }, prefer: { mode: "list, summarize" } },
    { query: { text: "a lamp" }, prefer: { response_format: "chatgpt_app" }, meta: { user: "u", session_context: { conversation_id: "c" } } },
    { query: { text: "a lamp", price: "under 20" }, context: [{ prev: ["x"] }, { "@type": "UserDiet", restrictions: ["vegan"] }], meta: { version: "0.54" } },
    { query: { text: "zzyzx qwrtp" } },
    { query: { text: "x".repeat(5000) } },
    { query: "a lamp", streaming: false, generate_mode: "generate", query_id: 7 },
    { query: { text: "a lamp" }, prefer: { streaming: true } },
    { query: "a lamp" },
  ];
  for (const body of requests) {
    assert.equal(fits(body, "paths", "/ask", "post", "requestBody", "content", "application/json", "schema"), "", JSON.stringify(body).slice(0, 200));
    await described("/ask", "/ask", post(body));
  }
  for (const body of [{}, { query: { text: 7 } }, { query: [] }, { query: { text: "x" }, prefer: "fast" }, { query: "" , streaming: [] }]) {
    assert.notEqual(fits(body, "paths", "/ask", "post", "requestBody", "content", "application/json", "schema"), "", `${JSON.stringify(body)} fits`);
    const answer = await described("/ask", "/ask", post(body));
    assert.equal(answer.error.code, "INVALID_QUERY");
  }
  await described("/ask", "/ask", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" });
  await described("/ask", "/ask");
  await described("/ask?query=lamp&streaming=false", "/ask");
  await described("/ask?query=lamp", "/ask");
  for (const path of ["/healthz", "/readyz", "/robots.txt", "/llms.txt", "/schemamap.xml", "/openapi.json", "/.well-known/api-catalog"]) await described(path, path);
  for (const path of Object.keys(document.paths).filter((path) => path.includes("mcp/"))) await described(path, path);
  await described("/robots.txt?site=elsewhere.example", "/robots.txt");
  const map = await described("/schemamap.xml", "/schemamap.xml");
  const feeds = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc]) => new URL(loc).pathname);
  assert.ok(feeds.length >= 8, `${feeds.length} feeds`);
  for (const path of feeds) assert.notEqual(await described(path, "/feeds/{site}/{part}"), "");
  await described("/feeds/shop/9-of-9.jsonl", "/feeds/{site}/{part}");
});

test("what does not follow the description is found", () => {
  const place = ["components", "schemas", "Response"];
  assert.equal(fits({ _meta: { response_type: "answer", version: "0.55" }, results: [{ "@type": "Thing" }] }, ...place), "");
  for (const wrong of [
    {}, { _meta: { response_type: "reply", version: "0.55" } }, { _meta: { response_type: "answer", version: "0.54" } },
    { _meta: { response_type: "answer", version: "0.55" }, results: [{ name: "no type" }] },
    { _meta: { response_type: "failure", version: "0.55" }, error: { message: "no code" } },
  ]) assert.notEqual(fits(wrong, ...place), "", JSON.stringify(wrong));
});
