// Going on from an answer: what was understood can be taken away, the order changed, a question asked back answered, and
// another one asked that goes on from it. The server's part is played, so that each step is what it is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { demo, events, meta, scripted } from "./desk.mjs";

let browser, desk, stage, play;
const asked = [];
before(async () => {
  [browser, desk] = await Promise.all([launch(), demo()]);
  stage = await scripted(desk.url, (req, res, body) => { asked.push(body); return play(res, body); });
});
after(async () => { await browser?.close(); stage?.stop(); await desk?.stop(); });

const visit = async (path = "/", options) => {
  asked.length = 0;
  const p = await open(browser, stage.url, options);
  await p.page.goto(stage.url + path);
  return p;
};

const item = (name, more) => ({ "@type": "Product", url: `https://shop.example/${name}`, name, score: 50, ...more });
const priced = (name, price) => item(name, { offers: { "@type": "Offer", price, priceCurrency: "USD" } });

// tell streams an answer with what was understood.
const tell = (res, understood, items, session) => {
  const send = events(res);
  const told = { _meta: { ...meta()._meta, understood, ...(session && { session_context: session }) } };
  send("start", told);
  items.forEach((one, index) => send("result", { index, item: one }));
  send("complete", told);
  res.end();
};

const chips = (p) => p.page.getByRole("region", { name: "What was understood" }).getByRole("list").getByRole("button");

test("what was understood stands above the answers, and can be taken away", async () => {
  const filters = [
    { name: "price", text: "price under $20", max: 20, below: true, unit: "USD", from: "question" },
    { name: "recipeIngredient", text: "without ginger", values: ["ginger"], not: true, from: "question" },
    { name: "recipeIngredient", text: "without <b>nuts</b>", values: ["nuts"], not: true, from: "question" },
  ];
  play = (res, body) => tell(res, { text: "lamp; …", filters: filters.filter((f) => body.query[f.name] !== "any"), relaxed: [{ name: "color", text: "colour: red" }], corrected: [{ from: "lmap", to: "lamp" }] }, [priced("Lamp", 19)]);
  const p = await visit("/?q=lmap+under+20+dollars");
  await p.asked();
  assert.deepEqual(await chips(p).allInnerTexts(), ["price under $20×", "without ginger · without <b>nuts</b>×"]);
  const region = p.page.getByRole("region", { name: "What was understood" });
  assert.match(await region.innerText(), /Nothing has all of that\. Left out: colour: red\./);
  assert.match(await region.innerText(), /Read as: “lamp”/);
  await p.picture("chips");

  await region.getByRole("button", { name: "Take away: price under $20" }).press("Enter");
  await p.asked();
  assert.equal(asked.at(-1).query.price, "any");
  assert.deepEqual(await chips(p).allInnerTexts(), ["without ginger · without <b>nuts</b>×"]);
  assert.equal(await p.page.evaluate(() => document.activeElement.id), "answers", "the focus is not lost with the chip");
  assert.equal(new URL(p.page.url()).searchParams.get("with"), `{"price":"any"}`);
  await p.page.reload();
  await p.asked();
  assert.equal(asked.at(-1).query.price, "any", "the address tells what was taken away");
  await p.page.goBack();
  await p.asked();
  assert.equal(await chips(p).count(), 2);

  await region.getByRole("button", { name: "Ask for “lmap” instead" }).click();
  await p.asked();
  assert.deepEqual([asked.at(-1).query.text, asked.at(-1).query.spelling], ["lmap under 20 dollars", "exact"]);
  await p.asked("another");
  assert.deepEqual(Object.keys(asked.at(-1).query).sort(), ["limit", "text"], "a new question begins anew");
  await p.check();
});

test("a failure tells what was understood, too, so that it can be taken away", async () => {
  play = (res, body) => {
    if (body.query.color === "any") return tell(res, null, [priced("Lamp", 19)]);
    res.writeHead(200, { "Content-Type": "application/json" });
    res.end(JSON.stringify({ _meta: { ...meta("failure")._meta, understood: { text: "x", filters: [{ name: "color", text: "colour: red", from: "question" }] } }, error: { code: "NO_RESULTS", message: "Nothing." } }));
  };
  const p = await visit("/?q=red+lamp");
  await p.asked();
  await p.page.getByRole("button", { name: "Take away: colour: red" }).click();
  await p.page.getByRole("heading", { name: "Lamp" }).waitFor();
  await p.check();
});

test("the order of the answers can be chosen among those that they have what it takes for", async () => {
  const order = { by: "price", order: "ascending", text: "by price, lowest first" };
  play = (res, body) => tell(res, body.query.sort ? { text: "x", sort: order } : null, [priced("A", 1), priced("B", 2), item("C")]);
  const p = await visit("/?q=lamp");
  await p.asked();
  const sort = p.page.getByRole("combobox", { name: "Sort by" });
  assert.deepEqual(await sort.getByRole("option").allInnerTexts(), ["best fit", "price, lowest first", "price, highest first"]);
  await sort.selectOption("price, lowest first");
  await p.asked();
  assert.equal(asked.at(-1).query.sort, "price ascending");
  assert.equal(await sort.evaluate((select) => select.selectedOptions[0].textContent), "price, lowest first");
  await p.page.getByRole("button", { name: "Take away: by price, lowest first" }).click();
  await p.asked();
  assert.equal(asked.at(-1).query.sort, "any");
  await p.check();
});

test("a question that goes on from another has what came before, and the way back to it", async () => {
  play = (res, body) => tell(res, body.context ? { query: `soup; ${body.query.text}`, text: "soup" } : null, [item(body.query.text)], { conversation_id: "c1", state_token: `after ${asked.length}` });
  const p = await visit("/?q=soup");
  await p.asked();
  const follow = p.page.getByRole("textbox", { name: "Go on from here" });
  await follow.fill("only vegan");
  await follow.press("Enter");
  await p.page.getByRole("heading", { name: "only vegan" }).waitFor();
  assert.deepEqual(asked.at(-1).context, { prev: ["soup"] });
  assert.deepEqual(asked.at(-1).meta.session_context, { conversation_id: "c1", state_token: "after 1" });
  assert.match(await p.page.getByRole("region", { name: "What was understood" }).innerText(), /Read as: soup; only vegan/);
  await p.page.getByRole("textbox", { name: "Go on from here" }).fill("without nuts?");
  await p.page.getByRole("button", { name: "Ask on" }).click();
  await p.page.getByRole("heading", { name: "without nuts?" }).waitFor();
  assert.deepEqual(asked.at(-1).context, { prev: ["soup", "only vegan"] });
  assert.equal(asked.at(-1).meta.session_context.state_token, "after 2");
  const thread = p.page.getByRole("navigation", { name: "This conversation" });
  assert.deepEqual(await thread.getByRole("listitem").allInnerTexts(), ["soup", "only vegan", "without nuts?"]);
  await p.picture("thread");
  await p.page.reload();
  await p.asked();
  assert.equal(asked.at(-1).meta.session_context.state_token, "after 2", "a reload keeps the conversation");
  await thread.getByRole("link", { name: "soup" }).click();
  await p.page.getByRole("heading", { name: "soup" }).waitFor();
  assert.equal(asked.at(-1).context, undefined);
  await p.page.goBack();
  await p.page.getByRole("heading", { name: "without nuts?" }).waitFor();
  assert.deepEqual(asked.at(-1).context, { prev: ["soup", "only vegan"] });
  await p.check();
});

test("questions asked back are answered from the keyboard, or passed over", async () => {
  play = (res, body) => {
    if (body.query.diet) return tell(res, null, [item("dinner")], { conversation_id: "c2", state_token: "s2" });
    res.writeHead(200, { "Content-Type": "application/json" });
    res.end(JSON.stringify({ _meta: { ...meta("elicitation")._meta, session_context: { conversation_id: "c2", state_token: "s1" } }, elicitation: { text: "Twelve items fit.", questions: [
      { id: "diet", text: "Any diet?", type: "multi_select", options: ["vegan", "vegetarian", "no preference"] }, { id: "stock", text: "In stock only?", type: "boolean", default: true }] } }));
  };
  const p = await visit("/?q=dinner");
  await p.asked();
  const form = p.page.getByRole("form", { name: "Twelve items fit." });
  await form.waitFor();
  assert.equal(await p.status.textContent(), "2 questions for you: Twelve items fit.");
  assert.equal(await p.page.evaluate(() => document.activeElement.textContent), "Twelve items fit.", "the focus leads to the questions");
  await p.page.keyboard.press("Tab");
  await p.page.keyboard.press("Space");
  assert.ok(await form.getByRole("group", { name: "Any diet?" }).getByRole("checkbox", { name: "vegan", exact: true }).isChecked());
  assert.ok(await form.getByRole("group", { name: "In stock only?" }).getByRole("radio", { name: "yes" }).isChecked(), "the default is there");
  await form.getByRole("checkbox", { name: "no preference" }).check();
  assert.ok(!(await form.getByRole("checkbox", { name: "vegan", exact: true }).isChecked()), "no preference stands alone");
  await form.getByRole("checkbox", { name: "vegetarian" }).check();
  assert.ok(!(await form.getByRole("checkbox", { name: "no preference" }).isChecked()));
  await p.page.keyboard.press("Enter");
  await p.page.getByRole("heading", { name: "dinner", exact: true }).waitFor();
  assert.deepEqual(asked.at(-1).query, { text: "dinner", limit: 10, diet: ["vegetarian"], stock: true });
  assert.deepEqual(asked.at(-1).meta.session_context, { conversation_id: "c2", state_token: "s1" });
  await p.page.goBack();
  await form.waitFor();
  await form.getByRole("button", { name: "Show answers without saying" }).click();
  await p.page.getByRole("heading", { name: "dinner", exact: true }).waitFor();
  assert.deepEqual(asked.at(-1).query, { text: "dinner", limit: 10, diet: "no preference" });
  await p.check();
});

test("the page speaks the reader's language, and asks for answers in it", async () => {
  play = (res) => tell(res, null, [priced("Lampe", 1234.5), priced("Leuchte", 0)]);
  const p = await visit("/?q=lampe&summary=1", { locale: "de-DE" });
  await p.page.waitForFunction(() => document.body.classList.contains("asked") && !document.body.classList.contains("asking"));
  assert.equal(await p.page.evaluate(() => document.documentElement.lang), "de");
  assert.equal(asked.at(-1).prefer["accept-language"], "de");
  await p.page.getByRole("searchbox", { name: "Ihre Frage" }).waitFor();
  await p.page.getByRole("button", { name: "Fragen", exact: true }).waitFor();
  assert.match(await p.status.textContent(), /^2 Antworten$/);
  const text = (await p.page.getByRole("list", { name: "Antworten" }).innerText()).replace(/\u00a0/g, " ");
  for (const part of ["1.234,50 $", "Kostenlos"]) assert.ok(text.includes(part), `${part} is not in ${text}`);
  await p.picture("german");
  await p.check();
});

for (const [name, options] of [["a phone", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }], ["a desk in the dark", { colorScheme: "dark" }]]) {
  test(`what was understood and what is asked back fits ${name}`, async () => {
    const filters = ["price under $20", "without ginger and without any kind of nuts whatsoever, also in traces", "diet: vegan"].map((text, n) => ({ name: `n${n}`, text, from: "question" }));
    play = (res, body) => {
      if (body.query.text === "lamp") return tell(res, { text: "x", query: "a longer question made of two", filters, relaxed: [{ name: "c", text: "colour: red" }] }, [priced("A", 1), priced("B", 2)]);
      res.writeHead(200, { "Content-Type": "application/json" });
      res.end(JSON.stringify({ ...meta("elicitation"), elicitation: { text: "Many items fit.", questions: [{ id: "c", text: "Which category?", type: "single_select", options: ["A rather long name of a category that nobody would choose, on any screen", "Short", "no preference"] }, { id: "n", text: "How many?", type: "number", default: 2 }] } }));
    };
    const p = await visit("/?q=lamp&prev=earlier", options);
    const fits = async (picture) => {
      const wide = await p.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide[0] <= wide[1], `the page is ${wide[0]} pixels wide on ${wide[1]}`);
      const small = await p.page.evaluate(() => [...document.querySelectorAll("button, select, fieldset label, .follow input")].filter((e) => e.offsetParent).map((e) => [e.textContent.trim().slice(0, 20), e.getBoundingClientRect().height]).filter(([, h]) => h < 24));
      assert.deepEqual(small, []);
      await p.picture(`${picture}-on-${name.replaceAll(" ", "-")}`, { fullPage: true });
    };
    await p.asked();
    await fits("understood");
    await p.asked("many");
    await fits("asked-back");
    await p.check();
  });
}

test("a conversation with the sample sites: asked back, answered, gone on from, a condition taken away", async () => {
  const p = await open(browser, desk.url);
  await p.page.goto(desk.url);
  await p.page.getByRole("link", { name: "I need something for dinner" }).click();
  const form = p.page.locator("form.back");
  await form.waitFor();
  await p.picture("dinner-asked-back");
  await form.getByRole("checkbox", { name: "vegan", exact: true }).check();
  await form.getByRole("radio", { name: "over 40 minutes" }).check();
  await form.getByRole("button", { name: "Answer", exact: true }).click();
  await p.asked();
  const tags = () => p.cards.getByRole("list", { name: "Suitable for" }).allInnerTexts();
  assert.ok((await p.cards.count()) > 0 && (await tags()).every((t) => t.includes("vegan")), `answers for ${JSON.stringify(await tags())}`);
  const labels = async () => (await chips(p).allInnerTexts()).join(" ");
  assert.match(await labels(), /diet: vegan/);
  const before = await p.cards.count();
  await p.picture("dinner-answered", { fullPage: true });

  await p.page.getByRole("textbox", { name: "Go on from here" }).fill("only gluten-free");
  await p.page.getByRole("button", { name: "Ask on" }).click();
  await p.page.getByRole("navigation", { name: "This conversation" }).waitFor();
  await p.asked();
  assert.match(await labels(), /vegan/);
  assert.match(await labels(), /gluten-free/);
  assert.ok((await tags()).every((t) => t.includes("gluten-free")), `answers for ${JSON.stringify(await tags())}`);
  await p.picture("dinner-gone-on", { fullPage: true });

  await chips(p).filter({ hasText: "diet" }).click();
  await p.asked();
  assert.doesNotMatch(await labels(), /vegan|gluten/);
  assert.ok((await p.cards.count()) >= before);
  await p.check();
});
