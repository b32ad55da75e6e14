// What a person does on the ask page, with the sample sites behind it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { demo } from "./desk.mjs";

let browser, desk;
before(async () => { [browser, desk] = await Promise.all([launch(), demo()]); });
after(async () => { await browser?.close(); await desk?.stop(); });

const visit = async (path = "/", options) => {
  const p = await open(browser, desk.url, options);
  await p.page.goto(desk.url + path);
  return p;
};

test("a question is answered with cards, and a click leads to the page behind one", async () => {
  const p = await visit();
  await p.page.waitForFunction(() => document.activeElement?.id === "q"); // the box has the focus from the start
  await p.picture("home");
  await p.asked("a quick vegan dinner with chickpeas");
  assert.match(await p.status.textContent(), /^\d+ answers?$/);
  assert.ok((await p.cards.count()) > 0);
  const card = p.cards.filter({ has: p.page.getByRole("heading", { name: "Chickpea and Spinach Skillet" }) });
  const text = await card.innerText();
  for (const part of ["Recipe", "Larkspur Kitchen", "25 min", "4.7 (388)", "3 servings", "gluten-free"]) assert.ok(text.includes(part), `${part} is not in: ${text}`);
  assert.equal(await card.locator("img").evaluate(async (img) => { await img.decode(); return img.naturalWidth; }), 800);
  assert.equal(await p.page.title(), "a quick vegan dinner with chickpeas · Tidewater");
  await p.picture("answers", { fullPage: true });

  await card.getByRole("link", { name: "Chickpea and Spinach Skillet" }).click();
  await p.page.getByRole("heading", { level: 1, name: "Chickpea and Spinach Skillet" }).waitFor();
  await p.page.goBack();
  await p.asked();
  await card.waitFor();
  await p.check();
});

test("the address holds the question, so that links, back and forward work", async () => {
  const p = await visit("/?q=teapot&site=shop&summary=1");
  await p.asked();
  assert.equal(await p.box.inputValue(), "teapot");
  assert.equal(await p.page.getByRole("combobox", { name: "Site" }).inputValue(), "shop");
  assert.ok(await p.page.getByRole("checkbox", { name: "with a summary" }).isChecked());
  await p.asked("storm lantern");
  assert.match(p.page.url(), /\?q=storm\+lantern&site=shop&summary=1$/);
  const lantern = p.page.getByRole("heading", { name: "Storm Lantern" });
  await lantern.waitFor();
  await p.page.goBack();
  await p.page.getByRole("heading", { name: "Linden Teapot, 900 ml" }).waitFor();
  await p.page.goForward();
  await lantern.waitFor();
  await p.page.goto(desk.url + "/");
  await p.page.getByRole("heading", { name: "Questions to begin with" }).waitFor();
  await p.page.getByRole("link", { name: "how do I season a cast iron pan?" }).click();
  await p.asked();
  await p.page.getByRole("heading", { name: "How to season a cast-iron pan, and stop worrying" }).waitFor();
  await p.page.goBack();
  await p.page.getByRole("heading", { name: "Questions to begin with" }).waitFor();
  assert.equal(await p.cards.count(), 0);
  await p.check();
});

test("every example has good answers", async () => {
  const p = await visit();
  const links = p.page.getByRole("region", { name: "Questions to begin with" }).getByRole("link");
  const examples = await links.allTextContents();
  assert.ok(examples.length >= 4);
  for (const example of examples) {
    await p.asked(example);
    if (await p.page.getByRole("button", { name: "Show answers without saying" }).count()) { // it is asked back
      await p.page.getByRole("button", { name: "Show answers without saying" }).click();
      await p.asked();
    }
    assert.ok((await p.cards.count()) > 0, `nothing answers ${JSON.stringify(example)}: ${await p.status.textContent()}`);
  }
  await p.check();
});

test("site and type narrow the answers, and the same question is asked again at once", async () => {
  const p = await visit("/?q=sourdough+bread");
  await p.asked();
  const origins = async () => [...new Set(await p.cards.locator(".eyebrow span:nth-child(2)").allTextContents())];
  assert.ok((await origins()).length > 1, "the question should have answers on several sites");
  await p.page.getByRole("combobox", { name: "Site" }).selectOption({ label: "The Tidewater Review" });
  await p.page.waitForURL(/site=review/);
  await p.asked();
  assert.deepEqual(await origins(), ["The Tidewater Review"]);
  await p.page.getByRole("combobox", { name: "Site" }).selectOption({ label: "every site" });
  await p.page.getByRole("combobox", { name: "Type" }).selectOption({ label: "products" });
  await p.page.waitForURL(/type=Product/);
  await p.asked();
  assert.deepEqual(await origins(), ["Harbour & Pine"]);
  await p.check();
});

test("a summary is shown on request and says where it comes from", async () => {
  const p = await visit("/?q=vegan+soup");
  await p.asked();
  const summary = p.page.getByRole("region", { name: "Summary" });
  assert.equal(await summary.count(), 0);
  await p.page.getByRole("checkbox", { name: "with a summary" }).check();
  await summary.waitFor();
  assert.match(await summary.innerText(), /Extractive/);
  await p.picture("summary");
  await p.check();
});

test("a licensed article is marked and shows its excerpt alone; a draft is nowhere", async () => {
  const p = await visit("/?q=why+is+the+mud+so+expensive+to+dredge%3F");
  await p.asked();
  const card = p.cards.filter({ has: p.page.getByRole("heading", { name: "Inside the dredging contract" }) });
  const text = await card.innerText();
  assert.match(text, /Licensed, excerpt only/);
  assert.doesNotMatch(text, /clause 14/i);
  await p.picture("licensed");
  await p.asked("mayor interview working notes embargo cannery");
  assert.equal(await p.cards.filter({ hasText: /working notes/i }).count(), 0);
  await p.check();
});

test("request, response and a command that works are there for developers", async () => {
  const p = await visit("/?q=it%27s+a+%22wool%22+blanket");
  await p.asked();
  const toggle = p.page.getByRole("button", { name: "Raw JSON" });
  assert.equal(await toggle.count(), 0, "what developers look at is shown to everybody");
  await p.page.getByRole("button", { name: "For developers" }).click();
  assert.equal(await toggle.getAttribute("aria-expanded"), "false");
  await toggle.click();
  assert.equal(await toggle.getAttribute("aria-expanded"), "true");
  const panel = p.page.getByRole("region", { name: "Request and response" });
  const block = async (name) => panel.getByLabel(name, { exact: true }).textContent();
  assert.equal(JSON.parse(await block("Request")).query.text, `it's a "wool" blanket`);
  assert.match(await block("Response"), /event: start[^]*event: result[^]*"Herringbone Wool Blanket"[^]*event: complete/);
  const answer = execFileSync("sh", ["-c", await block("As a command")], { encoding: "utf8" });
  assert.match(answer, /event: result[^]*Herringbone Wool Blanket[^]*event: complete/);
  await p.picture("raw");
  await p.asked("teapot");
  assert.equal(JSON.parse(await block("Request")).query.text, "teapot");
  await toggle.click();
  assert.equal(await panel.count(), 0);
  await p.check();
});

test("answers suggest how to go on from them", async () => {
  const p = await visit("/?q=vegan+soup+recipes");
  await p.asked();
  await p.page.getByRole("list", { name: "Go on from here" }).getByRole("button", { name: "the best rated" }).click();
  await p.page.waitForURL(/q=the\+best\+rated&prev=vegan\+soup\+recipes/);
  await p.asked();
  await p.check();
});

test("a browser that goes astray can ask", async () => {
  const p = await visit("/no/such/page", { expect: /404/ });
  await p.page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
  await p.asked("wool blanket");
  await p.check();
});

test("the whole page works from the keyboard", async () => {
  const p = await visit();
  const { keyboard } = p.page;
  const focused = () => p.page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id);
  await keyboard.type("vegan soup");
  await keyboard.press("Enter");
  await p.asked();
  await keyboard.press("ArrowDown");
  assert.equal(await focused(), await p.cards.nth(0).getByRole("link").textContent());
  await keyboard.press("j");
  assert.equal(await focused(), await p.cards.nth(1).getByRole("link").textContent());
  await keyboard.press("ArrowUp");
  await keyboard.press("ArrowUp");
  assert.equal(await focused(), "q");
  await keyboard.press("ArrowDown");
  await keyboard.press("/");
  assert.equal(await focused(), "q");
  await keyboard.type("storm lantern"); // the old question was selected
  await keyboard.press("Enter");
  await p.page.getByRole("heading", { name: "Storm Lantern" }).waitFor();
  await keyboard.press("Home");
  await keyboard.type("a/b ");
  assert.equal(await p.box.inputValue(), "a/b storm lantern", "a slash in the box is a slash");
  for (let tabs = 0; (await focused()) !== "Storm Lantern" && tabs < 12; tabs++) await keyboard.press("Tab");
  await keyboard.press("Enter");
  await p.page.getByRole("heading", { level: 1, name: "Storm Lantern" }).waitFor();
  await p.check();
});

test("the skip link is the first stop and leads past the box", async () => {
  const p = await visit("/?q=teapot");
  await p.asked();
  const skip = p.page.getByRole("link", { name: "Skip to the answers" });
  assert.ok(await skip.evaluate((link) => link === document.querySelector("a, button, input, select")));
  await p.page.keyboard.press("Shift+Tab"); // from the box to the name,
  await p.page.keyboard.press("Shift+Tab"); // and to the stop before it
  assert.ok(await skip.evaluate((link) => link === document.activeElement && link.getBoundingClientRect().left >= 0));
  await p.page.keyboard.press("Enter");
  assert.equal(await p.page.evaluate(() => document.activeElement.id), "answers");
  await p.check();
});

test("nothing found is said kindly, with a way on", async () => {
  const p = await visit("/?q=xylophonic+quasar+zeppelin&site=shop");
  await p.asked();
  assert.equal(await p.status.textContent(), "No answers");
  await p.page.getByRole("heading", { name: "Nothing here answers that" }).waitFor();
  await p.page.getByRole("heading", { name: "Questions to begin with" }).waitFor();
  await p.picture("nothing");
  await p.page.getByRole("button", { name: "Ask every site" }).click();
  await p.page.waitForURL((url) => !url.search.includes("site="));
  await p.check();
});

for (const [name, options] of [["phone", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }], ["phone in the dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }]]) {
  test(`on a ${name} everything fits and can be touched`, async () => {
    const p = await visit("/?q=harbour+dinner+with+fish&summary=1", options);
    await p.asked();
    const wide = await p.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide[0] <= wide[1], `the page is ${wide[0]} pixels wide on ${wide[1]}`);
    const small = await p.page.evaluate(() =>
      [...document.querySelectorAll("button, select, .switch")].filter((e) => e.offsetParent).map((e) => [e.textContent.trim().slice(0, 20), e.getBoundingClientRect().height]).filter(([, h]) => h < 24));
    assert.deepEqual(small, []);
    await p.page.getByRole("button", { name: "Ask", exact: true }).waitFor();
    await p.picture(name.replaceAll(" ", "-"), { fullPage: true });
    await p.check();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`texts are readable in the ${colorScheme}`, async () => {
    const p = await visit("/?q=vegan+soup+with+lemon&summary=1", { colorScheme, reducedMotion: "reduce" });
    await p.asked();
    const dark = await p.page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b) < 384);
    assert.equal(dark, colorScheme === "dark");
    assert.deepEqual(await p.page.evaluate(faint), []);
    assert.equal(await p.page.evaluate(() => document.getAnimations().length), 0, "reduced motion is honoured");
    await p.picture(`answers-${colorScheme}`);
    await p.check();
  });
}

// faint lists the texts whose contrast is below 4.5:1 (WCAG 2.2, 1.4.3). It runs in the page.
function faint() {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
  return [...document.querySelectorAll("h1, h2, h3 a, p, span, li, button, select, a, strong, blockquote, mark, code")]
    .filter((e) => e.checkVisibility({ visibilityProperty: true }) && [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) && e.getBoundingClientRect().width > 2)
    .map((e) => { const [a, b] = [luminance(rgb(getComputedStyle(e).color)), luminance(ground(e))].sort((x, y) => y - x); return [e.textContent.trim().slice(0, 30), +((a + 0.05) / (b + 0.05)).toFixed(2)]; })
    .filter(([, contrast]) => contrast < 4.5);
}

test("without JavaScript the page says how to ask from a terminal", async () => {
  const p = await visit("/?q=teapot", { javaScriptEnabled: false });
  assert.match(await p.page.locator("noscript").innerText(), /curl 'http:\/\/.*"text": "teapot"/);
  await p.page.context().close();
});
