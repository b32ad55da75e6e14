// Content that attacks the page is shown as text and does nothing.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, open } from "./browser.mjs";
import { demo, events, meta, scripted, start } from "./desk.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

// harmless holds that the page is whole: no element that a card does not have, no address but of the web.
async function harmless(p) {
  assert.equal(await p.page.locator("main script, main svg, main style, main iframe, main object, main b[onmouseover], main a[href^='javascript' i]").count(), 0);
  assert.equal(await p.page.evaluate(() => [...document.querySelectorAll("main a, main img")].filter((e) => !/^https?:$/.test(new URL(e.href || e.src).protocol)).length), 0);
  assert.doesNotMatch(await p.page.title(), /taken/);
  await p.check();
}

test("hostile items from a folder are shown and not run", async (t) => {
  if (process.env.FRONTDESK_URL) return t.skip("needs a server of its own");
  const data = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  const desk = await start("serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--data", data, fileURLToPath(new URL("hostile", import.meta.url)));
  try {
    await known(desk.url, "gremlin lamp", 2);
    const p = await open(browser, desk.url);
    await p.page.goto(`${desk.url}/?q=gremlin+lamp&summary=1`);
    await p.asked();
    assert.equal(await p.cards.count(), 2);
    await p.page.getByRole("heading", { name: /Gremlin <img src=x onerror=/ }).waitFor();
    await p.page.getByText("A gremlin lamp.").first().waitFor();
    await p.page.getByRole("button", { name: "For developers" }).click();
    await p.page.getByRole("button", { name: "Raw JSON" }).click();
    await p.picture("hostile", { fullPage: true });
    await p.cards.first().hover();
    await harmless(p);
  } finally {
    await desk.stop();
    await rm(data, { recursive: true });
  }
});

// known waits until a server, which reads its content in the background, answers a question with n items.
async function known(url, text, n) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query: { text } }) };
  for (let tries = 0; tries < 100; tries++) {
    const answer = await (await fetch(`${url}/ask`, request)).json();
    if (answer.results?.length === n) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer ${JSON.stringify(text)} with ${n} items within 10 seconds`);
}

test("hostile answers of a server are shown and not run", async () => {
  const desk = await demo();
  const attack = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  const items = [
    { "@type": attack, name: attack, description: attack, url: "javascript:alert(3)", image: "javascript:alert(4)", site: attack, score: attack, brand: attack, author: { name: attack },
      offers: { price: attack, priceCurrency: attack, availability: "__proto__" }, recipeYield: attack, suitableForDiet: [attack], location: { name: attack, address: { addressLocality: attack } },
      startDate: attack, grounding: { passage: { text: `gremlin ${attack}` } }, aggregateRating: { ratingValue: attack }, nutrition: { calories: attack } },
    { "@type": "Article", name: "two", url: " JaVaScRiPt:alert(5)", image: { url: "data:image/svg+xml,<svg onload=alert(6)>" } },
    { "@type": "Article", name: "three", url: "//other.example/x", image: ["vbscript:x", "file:///etc/passwd"], __proto__: { url: "javascript:1" } },
    { "@type": "SearchSummary", text: attack, extractive: true },
  ];
  const stage = await scripted(desk.url, (req, res) => {
    const send = events(res);
    send("start", meta());
    items.forEach((item, index) => send("result", { index, item }));
    send("error", { ...meta("failure"), error: { code: attack, message: attack } });
    send("complete", meta());
    res.end();
  });
  try {
    const p = await open(browser, stage.url);
    await p.page.goto(`${stage.url}/?q=${encodeURIComponent(attack)}&summary=1`);
    await p.asked();
    assert.equal(await p.cards.count(), 3);
    assert.equal(await p.cards.getByRole("link").count(), 0, "an address that is not of the web is no link");
    assert.equal(await p.cards.locator("img").count(), 0);
    assert.equal(await p.cards.getByRole("heading").first().textContent(), attack);
    await p.page.getByRole("button", { name: "For developers" }).click();
    await p.page.getByRole("button", { name: "Raw JSON" }).click();
    await harmless(p);
  } finally {
    stage.stop();
    await desk.stop();
  }
});
