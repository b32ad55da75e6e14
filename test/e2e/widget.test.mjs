// <frontdesk-ask> on a page of another origin, whose policy lets in nothing but the desk's scripts and answers, and no
// text as markup.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe } from "./axe.mjs";
import { launch, open } from "./browser.mjs";
import { demo, events, meta, scripted, start } from "./desk.mjs";

let browser, desk, shop;
before(async () => { [browser, desk, shop] = await Promise.all([launch(), demo(), startShop()]); });
after(async () => { await browser?.close(); await desk?.stop(); shop?.stop(); });

const sheet = "body{font:1rem/1.5 Georgia,serif;margin:1rem}html{color-scheme:light}.dark{color-scheme:dark;background:#111;color:#eee}";

// startShop serves a page that has what its address says: ?desk=, ?element=, ?lang=, ?dark=, ?version=, ?integrity=.
async function startShop() {
  const server = createServer((req, res) => {
    const url = new URL(req.url, "http://localhost"), asked = (name) => url.searchParams.get(name) || "";
    if (url.pathname === "/own.css") return res.writeHead(200, { "Content-Type": "text/css" }).end(sheet);
    if (url.pathname !== "/") return res.writeHead(204).end();
    const at = asked("desk");
    res.writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; script-src ${at}; connect-src ${at}; img-src ${at}; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`,
    });
    res.end(`<!doctype html><html lang="${asked("lang")}" class="${asked("dark")}"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>
      <link rel="stylesheet" href="/own.css"><script type="module" crossorigin integrity="${asked("integrity")}" src="${at}/widget/${asked("version") || "v1"}/frontdesk-ask.js"></script>
      <main><h1>Harbour and Pine</h1><p><button type="button" id="help">Help</button></p>${asked("element")}</main></html>`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://localhost:${server.address().port}`, stop: () => { server.closeAllConnections(); server.close(); } };
}

// visit opens the shop's page with an element. asked are the requests to the desk, told the element's events.
async function visit(element, { lang = "en", dark = "", at = desk.url, ...options } = {}) {
  const p = await open(browser, shop.url, { also: at, ...options });
  const asked = [];
  p.page.on("request", (request) => { if (request.url().startsWith(at)) asked.push(request); });
  const told = [];
  await p.page.exposeBinding("tell", (_, name, detail) => { told.push([name, detail]); });
  await p.page.addInitScript(() => {
    for (const name of ["open", "close", "ask", "answer", "nothing", "click", "error"]) addEventListener(`frontdesk-${name}`, (e) => window.tell(name, e.detail));
  });
  const address = `${shop.url}/?${new URLSearchParams({ desk: at, element, lang, dark })}`;
  await p.page.goto(address);
  await p.page.evaluate(() => customElements.whenDefined("frontdesk-ask"));
  const element_ = p.page.locator("frontdesk-ask");
  return {
    ...p, asked, told, address, element: element_, box: element_.getByRole("searchbox"), cards: element_.locator("ol > li"),
    paths: () => asked.map((request) => new URL(request.url()).pathname.replace(/\/[0-9a-f]{16}\//, "/VERSION/")),
    // ask asks as people do, and waits until the answer is there.
    async ask(text) {
      await this.box.fill(text);
      await this.box.press("Enter");
      await this.settled();
    },
    settled: () => p.page.waitForFunction(() => {
      const root = document.querySelector("frontdesk-ask").shadowRoot;
      return root.querySelector(".turn") && !root.querySelector(".waiting");
    }),
    focused: () => p.page.evaluate(() => {
      const deep = (root) => (root.activeElement?.shadowRoot?.activeElement ? deep(root.activeElement.shadowRoot) : root.activeElement);
      return deep(document)?.textContent.trim() || deep(document)?.localName;
    }),
  };
}

// played is the desk with an /ask that a test plays.
async function played(t, answer) {
  const stage = await scripted(desk.url, answer);
  t.after(() => stage.stop());
  return stage;
}

test("a launcher asks for nothing until it is used, and by keyboard alone it answers and gives the focus back", async () => {
  const p = await visit('<frontdesk-ask mode="launcher">Ask us</frontdesk-ask>');
  await p.page.context().addCookies([{ name: "session", value: "1", url: desk.url }]);
  await p.page.waitForLoadState("networkidle");
  assert.deepEqual(p.paths(), ["/widget/v1/frontdesk-ask.js"]);
  await axe(p.page);
  await p.picture("widget-launcher");
  await p.page.keyboard.press("Tab");
  await p.page.keyboard.press("Tab");
  assert.equal(await p.focused(), "Ask us");
  await p.page.keyboard.press("Enter");
  await p.page.getByRole("dialog", { name: "Ask us" }).waitFor();
  assert.deepEqual(p.paths().slice(1).sort(), ["/widget/VERSION/main.js", "/widget/v1/words-en.js"]);
  assert.equal(await p.focused(), "input");
  await p.page.keyboard.type("harbour rain jacket");
  await p.page.keyboard.press("Enter");
  await p.settled();
  assert.match(await p.cards.first().innerText(), /Harbour Rain Jacket[\s\S]*\$165\s+In stock\s+★ 4\.6/);
  assert.match(await p.element.getByRole("status").innerText(), /answers?, the first is Harbour Rain Jacket/);
  await axe(p.page);
  await p.picture("widget-launcher-answer");
  await p.page.keyboard.press("Escape");
  await p.page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await p.focused(), "Ask us");
  for (const request of p.asked) assert.equal((await request.allHeaders()).cookie, undefined, `a cookie went to ${request.url()}`);
  assert.deepEqual(p.told.map(([name]) => name), ["open", "ask", "answer", "close"]);
  await p.check();
});

test("an answer comes first with its source, then at most four cards, and what was understood can be taken away", async () => {
  const p = await visit('<frontdesk-ask examples="soup without nuts | something warm" target="_blank"><a href="/help">Ask us</a></frontdesk-ask>');
  await p.box.waitFor();
  assert.ok(p.paths().every((path) => path.startsWith("/widget/")), `before use: ${p.paths()}`);
  await p.element.getByRole("button", { name: "soup without nuts" }).click();
  await p.settled();
  assert.ok(await p.cards.count() >= 2 && await p.cards.count() <= 4);
  const answer = p.element.locator("[part=answer]");
  assert.ok(await answer.getByRole("link").count() >= 1, "the answer has no source");
  const [first, card] = await Promise.all([answer.boundingBox(), p.cards.first().boundingBox()]);
  assert.ok(first.y < card.y);
  assert.equal(await p.cards.first().getByRole("link").getAttribute("target"), "_blank");
  assert.equal(await p.cards.first().getByRole("link").count(), 1);
  await axe(p.page);
  await p.picture("widget-inline", { fullPage: true });
  await p.element.getByRole("button", { name: /^Take away: without nuts/ }).click();
  await p.settled();
  const body = p.asked.filter((request) => request.method() === "POST").at(-1).postDataJSON();
  assert.equal(body.query.text, "soup without nuts");
  assert.ok(Object.values(body.query).includes("any"));
  const turn = p.element.locator(".turn").last();
  assert.equal(await turn.getByRole("button", { name: /without nuts/ }).count(), 0);
  await p.check();
});

test("a follow-up goes on, a page later too, and nothing of it where the history is off", async () => {
  for (const [history, turns] of [["session", 2], ["off", 0]]) {
    const p = await visit(`<frontdesk-ask history="${history}"></frontdesk-ask>`);
    await p.ask("rain jacket or boots");
    await p.ask("cheaper ones");
    const [one, other] = p.asked.filter((request) => request.method() === "POST").map((request) => request.postDataJSON());
    assert.equal(one.meta.session_context, undefined);
    assert.ok(other.meta.session_context.state_token);
    const before = p.asked.length;
    await p.page.reload();
    await p.box.waitFor();
    assert.equal(await p.element.locator(".turn").count(), turns);
    assert.ok(p.asked.slice(before).every((request) => request.method() !== "POST"), "it was asked again");
    assert.deepEqual(await p.page.evaluate(() => document.cookie), "");
    await p.check();
  }
});

test("a modal opens by Ctrl+K and by the button that it names, which gets the focus back", async () => {
  const p = await visit('<frontdesk-ask mode="modal" for="#help">Search the shop</frontdesk-ask>');
  assert.equal(await p.page.getByText("Search the shop").isVisible(), false);
  await p.page.keyboard.press("Control+k");
  const dialog = p.page.getByRole("dialog", { name: "Search the shop" });
  await dialog.waitFor();
  await p.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await p.page.locator("#help").click();
  await dialog.waitFor();
  await p.ask("candles");
  await axe(p.page);
  await p.picture("widget-modal");
  await p.element.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await p.focused(), "Help");
  await p.check();
});

test("a search box shows the answers to the last question alone", async () => {
  const p = await visit('<frontdesk-ask mode="searchbox" summary="off" limit="2"></frontdesk-ask>');
  await p.ask("soup");
  await p.ask("boots for children");
  assert.equal(await p.element.locator(".turn").count(), 1);
  assert.ok(await p.cards.count() <= 2);
  assert.equal(await p.element.locator("[part=answer]").count(), 0);
  assert.match(await p.cards.first().innerText(), /Rain Boots/);
  assert.equal(await p.box.inputValue(), "boots for children");
  await axe(p.page);
  await p.picture("widget-searchbox");
  await p.check();
});

test("what the desk asks back are chips, and all can be passed over at once", async () => {
  const p = await visit("<frontdesk-ask></frontdesk-ask>");
  await p.ask("a gift for my dad");
  await axe(p.page);
  await p.picture("widget-questions", { fullPage: true });
  await p.element.getByText("up to $15").click();
  await p.element.getByRole("button", { name: "Answer", exact: true }).click();
  await p.cards.first().waitFor();
  const { query } = p.asked.filter((request) => request.method() === "POST").at(-1).postDataJSON();
  assert.equal(query.price, "up to $15");
  assert.match(await p.element.locator(".question").last().innerText(), /up to \$15/);
  await p.page.evaluate(() => document.querySelector("frontdesk-ask").reset());
  await p.ask("a gift for my dad");
  await p.element.getByRole("button", { name: "Show answers without saying" }).click();
  await p.settled();
  await p.check();
});

test("where nothing is found the closest items are there, and the question as it was written", async (t) => {
  const nearly = (name) => ({ "@type": "Product", url: `https://shop.example/${name}`, name });
  const asked = [];
  const other = await scripted(desk.url, (req, res, body) => {
    asked.push(body.query);
    res.setHeader("Content-Type", "application/json");
    const understood = body.query.spelling ? undefined : { text: "lamp; price under 1", corrected: [{ from: "lmap", to: "lamp" }] };
    res.end(JSON.stringify({
      _meta: { response_type: "failure", version: "0.55", understood, closest: ["Lamp", "Candle", "Torch"].map(nearly) },
      error: { code: "NO_RESULTS", message: "Nothing here matches that question." },
    }));
  });
  t.after(() => other.stop());
  const p = await visit("<frontdesk-ask></frontdesk-ask>", { at: other.url });
  await p.ask("lmap under 1 dollar");
  assert.deepEqual(await p.element.locator(".notice ~ ul .card strong").allInnerTexts(), ["Lamp", "Candle"]);
  assert.match(await p.element.locator(".told").innerText(), /Read as: “lamp”/);
  await axe(p.page);
  await p.picture("widget-closest");
  await p.element.getByRole("button", { name: "Ask for “lmap” instead" }).click();
  await p.settled();
  assert.deepEqual([asked[0].spelling, asked[1].spelling], [undefined, "exact"]);
  await p.check();
});

test("where nothing is found there is somebody to turn to", async () => {
  const p = await visit('<frontdesk-ask examples="soup" empty-href="https://shop.example/contact" empty-text="Write to us"><span slot="empty">We answer within a day.</span></frontdesk-ask>');
  await p.ask("zzqx frobnicator");
  assert.equal(await p.element.getByRole("link", { name: "Write to us" }).getAttribute("href"), "https://shop.example/contact");
  assert.ok(await p.page.getByText("We answer within a day.").isVisible());
  assert.deepEqual(p.told.at(-1), ["nothing", { text: "zzqx frobnicator" }]);
  await axe(p.page);
  await p.picture("widget-nothing");
  await p.element.locator(".turn").getByRole("button", { name: "soup" }).click();
  await p.cards.first().waitFor();
  await p.check();
});

test("a shop draws its own cards, and leads to its pages itself", async () => {
  const p = await visit("<frontdesk-ask></frontdesk-ask>");
  await p.page.evaluate(() => {
    const element = document.querySelector("frontdesk-ask");
    element.card = (item) => Object.assign(document.createElement("a"), { href: item.url, textContent: `Own: ${item.name}` });
    element.addEventListener("frontdesk-click", (event) => event.preventDefault());
    return element.ask("harbour rain jacket");
  });
  const [click] = await Promise.all([p.page.waitForRequest((request) => request.url().endsWith("/ask/click")), p.cards.first().getByText("Own: Harbour Rain Jacket").click()]);
  assert.equal(JSON.parse(click.postData()).position, 1);
  assert.equal(p.page.url(), p.address);
  assert.equal(p.told.at(-1)[1].position, 1);
  await p.page.evaluate(() => document.querySelector("frontdesk-ask").reset());
  assert.equal(await p.cards.count(), 0);
  await p.check();
});

for (const [name, element] of [["inline", "<frontdesk-ask></frontdesk-ask>"], ["launcher", '<frontdesk-ask mode="launcher" position="bottom-left">Ask us</frontdesk-ask>'], ["modal", '<frontdesk-ask mode="modal"></frontdesk-ask>'], ["searchbox", '<frontdesk-ask mode="searchbox"></frontdesk-ask>']]) {
  test(`${name}: it fits 320 pixels, and follows the page's colours and not the system's`, async () => {
    for (const [dark, colorScheme] of [["", "dark"], ["dark", "light"]]) {
      const p = await visit(element, { dark, colorScheme, viewport: { width: 320, height: 640 } });
      await p.page.evaluate(() => document.querySelector("frontdesk-ask").open());
      await p.ask("a warm dinner without nuts for six people on a cold evening");
      const seen = await p.page.evaluate(() => {
        const root = document.querySelector("frontdesk-ask").shadowRoot, panel = root.querySelector(".panel");
        const wide = [...root.querySelectorAll(".panel *")].filter((one) => !one.closest(".unseen") && one.getBoundingClientRect().right > innerWidth + 1);
        return { wide: wide.map((one) => one.className || one.localName), page: document.documentElement.scrollWidth - innerWidth, ground: getComputedStyle(panel).backgroundColor };
      });
      assert.deepEqual(seen.wide, []);
      assert.ok(seen.page <= 0, `${seen.page} pixels too wide`);
      assert.equal(seen.ground, dark ? "rgb(22, 27, 25)" : "rgb(255, 255, 255)");
      await axe(p.page);
      await p.picture(`widget-320-${name}-${dark || "light"}`);
      await p.check();
    }
  });
}

test("a theme can be chosen, and colours that the owner sets can be read", async () => {
  for (const accent of ["#ffcc00", "#c00000", "#008a00", "#7f7f7f"]) {
    const p = await visit('<frontdesk-ask theme="system" mode="launcher">Ask us</frontdesk-ask>', { colorScheme: "dark" });
    await p.page.evaluate((accent) => document.querySelector("frontdesk-ask").style.setProperty("--frontdesk-accent", accent), accent);
    await axe(p.page);
    await p.element.getByRole("button", { name: "Ask us" }).click();
    await p.ask("harbour rain jacket");
    assert.equal(await p.element.locator(".panel").evaluate((panel) => getComputedStyle(panel).backgroundColor), "rgb(22, 27, 25)");
    await axe(p.page);
    await p.check();
  }
});

test("who asks too much waits, and can ask again in time", async (t) => {
  let refused = 0;
  const busy = await played(t, (_, res) => {
    if (refused++ > 0) return res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ...meta(), results: [{ "@type": "Thing", name: "At last" }] }));
    res.writeHead(429, { "Content-Type": "application/json", "Retry-After": "3" }).end(JSON.stringify({ ...meta("failure"), error: { code: "RATE_LIMITED", message: "Slowly." } }));
  });
  const p = await visit("<frontdesk-ask></frontdesk-ask>", { at: busy.url, expect: /429/ });
  await p.page.clock.install();
  await p.ask("soup");
  const again = p.element.getByRole("button", { name: "Try again" });
  assert.equal(await again.innerText(), "Try again in 3 seconds.");
  assert.ok(await again.isDisabled());
  await p.page.clock.runFor(2000);
  assert.equal(await again.innerText(), "Try again in 1 second.");
  await p.page.clock.runFor(1000);
  await again.click();
  await p.cards.first().getByText("At last").waitFor();
  assert.equal(p.told.filter(([name]) => name === "error")[0][1].code, "RATE_LIMITED");
  await p.check();
});

test("who is offline is told in a sentence", async () => {
  const p = await visit("<frontdesk-ask></frontdesk-ask>", { expect: /ERR_INTERNET_DISCONNECTED/ });
  await p.box.waitFor();
  await p.page.context().setOffline(true);
  await p.ask("soup");
  await p.element.getByText("The desk cannot be reached").first().waitFor();
  await p.page.context().setOffline(false);
  await p.element.getByRole("button", { name: "Try again" }).click();
  await p.cards.first().waitFor();
  await p.check();
});

test("what takes long says so, and can be stopped", async (t) => {
  const slow = await played(t, () => {});
  const p = await visit("<frontdesk-ask></frontdesk-ask>", { at: slow.url });
  await p.page.clock.install();
  await p.box.fill("soup");
  await p.box.press("Enter");
  await p.element.getByText("Asking…").first().waitFor();
  await p.page.clock.runFor(1600);
  await p.element.locator(".waiting").getByText("Still looking…").waitFor();
  await p.element.getByRole("button", { name: "Cancel" }).click();
  await p.element.locator(".notice").getByText("Cancelled").waitFor();
  assert.deepEqual(p.told.map(([name]) => name), ["ask"]);
  await p.check();
});

test("a promised answer comes by itself, and cards come before the end", async (t) => {
  let finish;
  const later = await played(t, (req, res, body) => {
    if (req.url === "/ask" && body.query.text === "much") {
      res.writeHead(202, { "Content-Type": "application/json" });
      return res.end(JSON.stringify({ ...meta("promise"), promise: { token: "t", message: "Reading all of it.", progress: 0.25 } }));
    }
    if (req.url === "/await") {
      assert.equal(body.promise_token, "t");
      res.writeHead(200, { "Content-Type": "application/json" });
      return res.end(JSON.stringify({ ...meta(), results: [{ "@type": "Thing", name: "Kept" }] }));
    }
    const send = events(res);
    send("start", meta());
    send("result", { index: 1, item: { "@type": "Thing", name: "Second" } });
    send("result", { index: 0, item: { "@type": "Thing", name: "First" } });
    finish = () => { send("complete", meta()); res.end(); };
  });
  const p = await visit("<frontdesk-ask></frontdesk-ask>", { at: later.url });
  await p.ask("much");
  assert.equal(await p.cards.innerText(), "Kept");
  await p.box.fill("little");
  await p.box.press("Enter");
  const turn = p.element.locator(".turn").last();
  await turn.getByText("First").waitFor();
  assert.deepEqual(await turn.locator("ol > li").allInnerTexts(), ["First", "Second"]);
  finish();
  await p.page.waitForFunction(() => document.querySelector("frontdesk-ask").shadowRoot.querySelector("[role=status]").textContent.startsWith("2 answers"));
  await p.check();
});

test("a site in Italian answers in Italian, and leaves out what was excluded", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "frontdesk-widget-"));
  await mkdir(join(folder, "ricette"));
  const recipes = [["Vellutata di zucca", "zucca, brodo, panna"], ["Zuppa di zucca e noci", "zucca, noci, brodo"], ["Minestrone d'orto", "zucca, fagioli, sedano"]];
  for (const [n, [name, ingredients]] of recipes.entries()) {
    await writeFile(join(folder, "ricette", `${n}.json`), JSON.stringify({
      "@type": "Recipe", "@context": "https://schema.org", inLanguage: "it", name, url: `https://cucina.example/${n}`, description: `${name}: una minestra calda per la sera.`, recipeIngredient: ingredients.split(", "),
    }));
  }
  t.after(() => rm(folder, { recursive: true }));
  const cucina = await start("serve", join(folder, "ricette"), "--listen", "127.0.0.1:0", "--data", join(folder, "data"), "--metrics-listen", "off");
  t.after(() => cucina.stop());
  const p = await visit("<frontdesk-ask></frontdesk-ask>", { at: cucina.url, lang: "it-CH" });
  await p.ask("zuppa di zucca senza noci");
  const names = (await p.cards.allInnerTexts()).join("\n");
  assert.match(names, /Vellutata di zucca/);
  assert.doesNotMatch(names, /noci/);
  assert.ok(await p.element.getByRole("button", { name: /senza frutta a guscio/ }).isVisible());
  assert.ok(await p.page.getByText("Le risposte vengono dalle pagine di questo sito").isVisible());
  assert.equal(await p.element.locator(".panel").getAttribute("lang"), "it");
  await axe(p.page);
  await p.picture("widget-italian");
  await p.check();
});

test("a page holds it to one version, and takes no other script", async () => {
  const loader = Buffer.from(await (await fetch(`${desk.url}/widget/v1/frontdesk-ask.js`)).arrayBuffer());
  const version = /[0-9a-f]{16}/.exec(loader.toString())[0], integrity = `sha384-${createHash("sha384").update(loader).digest("base64")}`;
  const element = '<frontdesk-ask><a href="/ask">Ask by mail</a></frontdesk-ask>';
  for (const [held, works] of [[integrity, true], [`sha384-${"A".repeat(64)}`, false]]) {
    const p = await open(browser, shop.url, { also: desk.url, expect: /integrity/ });
    await p.page.goto(`${shop.url}/?${new URLSearchParams({ desk: desk.url, element, version, integrity: held })}`);
    await p.page.waitForLoadState("networkidle");
    assert.equal(await p.page.locator("frontdesk-ask").getByRole("searchbox").count(), works ? 1 : 0);
    assert.equal(await p.page.getByText("Ask by mail").isVisible(), !works);
    await p.check();
  }
});

test("a desk that allows other sites alone gives this one nothing", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "frontdesk-widget-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "tea.json"), JSON.stringify({ "@type": "Product", name: "Tea", url: "https://tea.example/" }));
  const closed = await start("serve", join(folder, "tea.json"), "--listen", "127.0.0.1:0", "--data", join(folder, "data"), "--metrics-listen", "off", "--set", "cors.origins=https://tea.example");
  t.after(() => closed.stop());
  const p = await open(browser, shop.url, { also: closed.url, expect: /CORS|ERR_FAILED/ });
  await p.page.goto(`${shop.url}/?${new URLSearchParams({ desk: closed.url, element: "<frontdesk-ask>Ask by mail</frontdesk-ask>" })}`);
  await p.page.waitForLoadState("networkidle");
  assert.ok(await p.page.getByText("Ask by mail").isVisible());
  assert.equal(await p.page.evaluate(() => customElements.get("frontdesk-ask") === undefined), true);
  await p.check();
});

test("the core asks without anything to see", async () => {
  const p = await visit("<p>no element</p>");
  const seen = await p.page.evaluate(async (at) => {
    const { createDesk } = await import(`${at}/widget/v1/core.js`);
    const types = [];
    let session;
    for await (const event of createDesk(at).ask("soup without nuts", { limit: 2 })) {
      types.push(event.type);
      session = event.meta?.session_context;
    }
    for await (const event of createDesk(at).ask("soup", { summary: false, session })) {
      if (event.type === "item") break; // whoever stops reading ends the request
    }
    return types;
  }, desk.url);
  assert.deepEqual([...new Set(seen)], ["start", "summary", "item", "done"]);
  await p.check();
});

test("how soon the first card is there", async (t) => {
  const p = await visit("<frontdesk-ask></frontdesk-ask>");
  await p.ask("soup");
  const times = [];
  for (const text of ["rain jacket", "candles", "boots", "soup with dill", "porridge"]) {
    times.push(await p.page.evaluate(async (text) => {
      const element = document.querySelector("frontdesk-ask"), root = element.shadowRoot, before = root.querySelectorAll("ol > li").length, began = performance.now();
      const first = new Promise((resolve) => {
        new MutationObserver((_, watch) => { if (root.querySelectorAll("ol > li").length > before) { watch.disconnect(); resolve(performance.now() - began); } }).observe(root, { subtree: true, childList: true });
      });
      await element.ask(text);
      return first;
    }, text));
  }
  t.diagnostic(`first card after ${times.map((ms) => ms.toFixed(0)).sort((a, b) => a - b).join(", ")} ms`);
  await p.check();
});
