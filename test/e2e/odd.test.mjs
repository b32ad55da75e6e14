// What the page does with answers that are slow, broken, odd or hostile. The page is the real one; /ask is played.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { demo, events, meta, scripted } from "./desk.mjs";

let browser, desk, stage;
let play; // how /ask answers: set by each test
before(async () => {
  [browser, desk] = await Promise.all([launch(), demo()]);
  stage = await scripted(desk.url, (req, res, body) => play(res, body, req));
});
after(async () => { await browser?.close(); stage?.stop(); await desk?.stop(); });

const visit = async (path, expect) => {
  const p = await open(browser, stage.url, { expect });
  await p.page.goto(stage.url + path);
  return p;
};
const item = (name, more = {}) => ({ "@type": "Thing", name, url: `https://things.example/${encodeURIComponent(name)}`, site: "shop", ...more });
const headings = (p) => p.cards.getByRole("heading").allTextContents();

test("cards appear while the stream goes on, each in its place", async () => {
  let send, end;
  play = (res) => { send = events(res); end = () => res.end(); send("start", meta()); };
  const p = await visit("/?q=slow");
  await p.page.waitForFunction(() => document.body.classList.contains("asking"));
  const steps = [[2, "third", ["third"]], [0, "first", ["first", "third"]], [3, "fourth", ["first", "third", "fourth"]], [1, "second", ["first", "second", "third", "fourth"]]];
  for (const [index, name, want] of steps) {
    send("result", { index, item: item(name) });
    await p.page.getByRole("heading", { name }).waitFor();
    assert.deepEqual(await headings(p), want);
    assert.equal(await p.status.textContent(), `${want.length} answer${want.length === 1 ? "" : "s"} so far…`);
  }
  send("result", { index: 4, item: { "@type": "SearchSummary", text: "All four.", extractive: true } });
  await p.page.getByRole("region", { name: "Summary" }).waitFor();
  send("complete", meta());
  end();
  await p.asked();
  assert.match(await p.status.textContent(), /^4 answers$/);
  await p.check();
});

test("a summary is shown while it is written, and what does not pass is taken back", async () => {
  let send, end, asked;
  play = (res, body) => { asked = body; send = events(res); end = () => res.end(); send("start", meta()); };
  const p = await visit("/?q=soup&summary=1");
  await p.page.waitForFunction(() => document.body.classList.contains("asking"));
  assert.equal(asked.prefer.deltas, true);
  send("result", { index: 1, item: item("first") });
  const summary = p.page.getByRole("region", { name: "Summary" });
  for (const [sentence, want] of [["The first is best [1].", /The first is best \[1\]\.\s*Written/], [" It is cheap <b>.", /best \[1\]\. It is cheap <b>\.\s*Written/]]) {
    send("delta", { index: 0, text: sentence });
    await summary.getByText(sentence.trim()).waitFor();
    assert.match(await summary.textContent(), want);
  }
  send("result", { index: 0, item: {
    "@type": "SearchSummary", text: "The first is best [1], not [2].", extractive: false,
    citation: [{ "@type": "CreativeWork", name: "first", url: "https://things.example/first" }, { "@type": "CreativeWork", name: "odd", url: "javascript:alert(1)" }],
  } });
  await summary.getByText("not [2]").waitFor();
  assert.equal(await summary.getByRole("link").count(), 1);
  assert.equal(await summary.getByRole("link", { name: "first" }).getAttribute("href"), "https://things.example/first");
  send("result", { index: 2, item: { "@type": "SearchSummary", text: "1 thing.", extractive: true } });
  await summary.getByText("1 thing.").waitFor();
  assert.doesNotMatch(await summary.textContent(), /best/);
  send("complete", meta());
  end();
  await p.asked();
  await p.check();
});

test("events may be cut anywhere, and broken or unknown ones do no harm", async () => {
  const text = `:hello\r\nevent: start\r\ndata: ${JSON.stringify(meta())}\r\n\r\nevent: surprise\ndata: {}\n\nevent: result\ndata: {not json\n\nevent:result\ndata: {"index":0,\ndata: "item":${JSON.stringify(item("Zoë’s ☕ mug"))}}\n\n` +
    `event: result\ndata: {"index":-1,"item":{"name":"no"}}\n\nevent: result\ndata: {"index":1,"item":"no"}\n\nevent: result\ndata: null\n\nevent: complete\ndata: ${JSON.stringify(meta())}\n\n`;
  play = async (res) => {
    res.writeHead(200, { "Content-Type": "text/event-stream" });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) {
      res.write(bytes.subarray(at, at + 7)); // in the middle of lines and of characters
      if (at % 70 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    res.end();
  };
  const p = await visit("/?q=cut");
  await p.asked();
  assert.deepEqual(await headings(p), ["Zoë’s ☕ mug"]);
  await p.check();
});

test("an answer in plain JSON is shown just the same", async () => {
  play = (res) => { res.writeHead(200, { "Content-Type": "application/json" }); res.end(JSON.stringify({ ...meta(), results: [item("one"), item("two")] })); };
  const p = await visit("/?q=json");
  await p.asked();
  assert.deepEqual(await headings(p), ["one", "two"]);
  await p.check();
});

test("a newer question takes the place of one under way, whose connection is closed", async () => {
  let closed;
  play = (res, body) => {
    const send = events(res);
    if (body.query.text === "old") {
      closed = new Promise((resolve) => res.on("close", resolve));
      return send("result", { index: 0, item: item("old answer") });
    }
    send("result", { index: 0, item: item("new answer") });
    send("complete", meta());
    res.end();
  };
  const p = await visit("/?q=old");
  await p.page.getByRole("heading", { name: "old answer" }).waitFor();
  await p.asked("new");
  await closed;
  assert.deepEqual(await headings(p), ["new answer"]);
  await p.check();
});

const failures = [
  ["a limit on questions", 429, { "Retry-After": "7" }, { ...meta("failure"), error: { code: "RATE_LIMITED" } }, "Too many questions at once", /Try again in 7 seconds/],
  ["an unready server", 503, { "Retry-After": "1" }, { ...meta("failure"), error: { code: "UNAVAILABLE", message: "The content is being loaded." } }, "The desk is not ready yet", /being loaded.*Try again in 1 second/],
  ["an internal error", 500, {}, { ...meta("failure"), error: { code: "INTERNAL_ERROR", message: "an internal error occurred" } }, "The desk could not answer", /INTERNAL_ERROR/],
  ["an unknown code", 200, {}, { ...meta("failure"), error: { code: "<b>ODD</b>", message: "<i>odd</i>" } }, "The desk could not answer", /<i>odd<\/i> \(<b>ODD<\/b>\)/],
  ["a proxy's page", 502, {}, "<h1>Bad gateway</h1>", "The desk could not answer", /502/],
];
for (const [name, status, headers, body, heading, advice] of failures) {
  test(`${name} is explained, and trying again works`, async () => {
    let tries = 0;
    play = (res) => {
      if (tries++ === 0) { res.writeHead(status, { "Content-Type": typeof body === "string" ? "text/html" : "application/json", ...headers }); return res.end(typeof body === "string" ? body : JSON.stringify(body)); }
      const send = events(res); send("result", { index: 0, item: item("at last") }); send("complete", meta()); res.end();
    };
    const p = await visit("/?q=try", /Failed to load resource/);
    await p.asked();
    await p.page.getByRole("heading", { name: heading }).waitFor();
    assert.match(await p.page.getByRole("region", { name: heading }).innerText(), advice);
    await p.page.getByRole("button", { name: "Try again" }).click();
    await p.page.getByRole("heading", { name: "at last" }).waitFor();
    await p.check();
  });
}

test("a server that is gone is said to be gone", async () => {
  play = (res) => res.destroy();
  const p = await visit("/?q=gone", /Failed to load resource/);
  await p.asked();
  await p.page.getByRole("heading", { name: "The desk cannot be reached" }).waitFor();
  await p.check();
});

test("answers that came before an error or a cut stay, and the page says that some are missing", async () => {
  play = (res) => { const send = events(res); send("result", { index: 0, item: item("kept") }); send("error", { ...meta("failure"), error: { code: "TIMEOUT", message: "Out of time." } }); send("complete", meta()); res.end(); };
  const p = await visit("/?q=half");
  await p.asked();
  assert.deepEqual(await headings(p), ["kept"]);
  assert.match(await p.page.getByRole("region", { name: "The answer is not complete" }).innerText(), /Out of time/);
  play = (res) => { const send = events(res); send("result", { index: 0, item: item("kept too") }); res.end(); };
  await p.asked("cut off");
  assert.deepEqual(await headings(p), ["kept too"]);
  await p.page.getByRole("heading", { name: "The answer is not complete" }).waitFor();
  await p.check();
});

test("more answers are fetched on request", async () => {
  play = (res, body) => {
    const send = events(res);
    for (let index = 0; index < Math.min(body.query.limit, 14); index++) send("result", { index, item: item(`answer ${index}`) });
    send("complete", meta());
    res.end();
  };
  const p = await visit("/?q=many");
  await p.asked();
  assert.equal(await p.cards.count(), 10);
  await p.page.getByRole("button", { name: "Show more" }).click();
  await p.page.getByRole("heading", { name: "answer 13" }).waitFor();
  assert.equal(await p.page.getByRole("button", { name: "Show more" }).count(), 0);
  await p.check();
});

test("a question asked back can be answered", async () => {
  const asked = [];
  play = (res, body) => {
    asked.push(body);
    res.writeHead(200, { "Content-Type": "application/json" });
    if (asked.length === 1) {
      return res.end(JSON.stringify({ _meta: { ...meta("elicitation")._meta, session_context: { conversation_id: "c7" } }, elicitation: { text: "Tell me more.", questions: [
        { id: "diet", text: "Any diet?", type: "multi_select", options: ["vegan", "<b>none</b>"] }, { id: "time", text: "How long?", type: "single_select", options: ["short", "long"], default: "short" },
        { id: "people", text: "For how many?", type: "number" }, { id: "addEventListener", text: "Spicy?", type: "boolean" }, { id: "site", text: "Which site?", type: "free_text" }, { id: "like", text: "What do you like?", type: "free_text" }] } }));
    }
    res.end(JSON.stringify({ ...meta(), results: [item("dinner")] }));
  };
  const p = await visit("/?q=dinner");
  await p.asked();
  await p.page.getByRole("checkbox", { name: "<b>none</b>" }).waitFor();
  await p.page.getByRole("checkbox", { name: "vegan" }).check();
  await p.page.getByLabel("For how many?").fill("4");
  await p.page.getByRole("radio", { name: "yes" }).check();
  assert.equal(await p.page.getByLabel("Which site?").count(), 0, "what the answer would be mistaken for is not asked");
  await p.page.getByLabel("What do you like?").fill("lemons");
  await p.picture("asked-back");
  await p.page.getByRole("button", { name: "Answer", exact: true }).click();
  await p.page.getByRole("heading", { name: "dinner", exact: true }).waitFor();
  assert.deepEqual(asked[1].query, { text: "dinner", limit: 10, diet: ["vegan"], time: "short", people: 4, addEventListener: true, like: "lemons" });
  assert.deepEqual(asked[1].meta.session_context, { conversation_id: "c7" });
  await p.check();
});

test("odd values of schema.org are shown as far as they make sense", async () => {
  const one = item("odd", {
    "@type": ["https://schema.org/Product", "Thing"], description: [{ "@value": "From a list." }], image: [null, 7, { "@type": "ImageObject", contentUrl: stage.url + "/sample/images/teapot-linden.svg" }],
    offers: { "@type": "AggregateOffer", lowPrice: 12, highPrice: "18.5", priceCurrency: "XYZZY", offers: [] }, aggregateRating: { ratingValue: "9", bestRating: 10, reviewCount: "1204" },
    totalTime: "P1DT90M", author: [{ name: "Ada" }, "Bob"], datePublished: "2026-02-31", suitableForDiet: { "@id": "x" }, nutrition: "none", location: 7, score: "x", grounding: [], brand: [] });
  play = (res) => { const send = events(res); send("result", { index: 0, item: one }); send("result", { index: 1, item: {} }); send("complete", meta()); res.end(); };
  const p = await visit("/?q=odd");
  await p.asked();
  const text = await p.cards.nth(0).innerText();
  for (const part of ["Product", "From a list.", "12 XYZZY – 18.5 XYZZY", "9.0 (1,204)", "1 d 1 h 30 min", "By Ada"]) assert.ok(text.includes(part), `${part} is not in: ${text}`);
  assert.doesNotMatch(text, /2026|object|undefined|NaN|null/);
  assert.match(await p.cards.nth(1).innerText(), /Without a name/);
  await p.check();
});
