// The page's wording of schema.org values, run where it runs for people: in the browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { demo } from "./desk.mjs";

let browser, desk, p;
before(async () => {
  [browser, desk] = await Promise.all([launch(), demo()]);
  p = await open(browser, desk.url);
  await p.page.goto(desk.url);
});
after(async () => { await p?.check(); await browser?.close(); await desk?.stop(); });

const words = (name, ...args) => p.page.evaluate(async ([name, args]) => {
  const script = document.querySelector("script[type=module]").src;
  const module = await import(new URL({ count: "say.js", stems: "passage.js", fits: "passage.js", snippet: "passage.js" }[name] || "words.js", script).href);
  return module[name](...args);
}, [name, args]);

const table = [
  ["duration", ["PT20M"], "20 min"], ["duration", ["PT1H15M"], "1 h 15 min"], ["duration", ["PT90M"], "1 h 30 min"], ["duration", ["P2D"], "2 d"],
  ["duration", ["PT45S"], "1 min"], ["duration", ["PT"], null], ["duration", ["half an hour"], null], ["duration", [["PT5M"]], "5 min"], ["duration", [null], null],
  ["money", ["58.00", "USD"], "$58"], ["money", [19.5, "EUR"], "€19.50"], ["money", ["0", "USD"], "Free"], ["money", ["1.200,50", "EUR"], "1.200,50"], ["money", [7, "nonsense"], "7 nonsense"],
  ["price", [{ price: "12", priceCurrency: "USD" }], "$12"], ["price", [[{ availability: "x" }, { lowPrice: 3, highPrice: 4, priceCurrency: "GBP" }]], "£3 – £4"], ["price", [undefined], null], ["price", ["free"], null],
  ["day", ["2026-03-09"], "9 March 2026"], ["day", ["2026-03-09T23:30:00-08:00"], "9 March 2026"], ["day", ["2026-02-30"], null], ["day", ["soon"], null],
  ["when", ["2026-12-12T16:00:00+00:00", "2026-12-12T21:30:00+00:00"], "Sat, 12 Dec 2026, 16:00–21:30"], ["when", ["2027-04-24T11:00", "2027-04-25T18:00"], "Sat, 24 Apr 2027 – Sun, 25 Apr 2027"], ["when", ["2027-04-24"], "Sat, 24 Apr 2027"],
  ["rating", [{ ratingValue: "4.6", ratingCount: 12 }], { value: 4.6, best: 5, count: 12 }], ["rating", [{ ratingValue: 6 }], null], ["rating", [{ ratingValue: 0 }], null], ["rating", ["4"], null],
  ["availability", [{ availability: "https://schema.org/InStock" }], "In stock"], ["availability", [{ availability: "constructor" }], null],
  ["diets", [["https://schema.org/GlutenFreeDiet", "VeganDiet", 7]], ["gluten-free", "vegan", "7"]],
  ["webAddress", ["https://a.example/b"], "https://a.example/b"], ["webAddress", ["javascript:1"], null], ["webAddress", ["//a.example"], null], ["webAddress", [7], null],
  ["stems", ["How do I season chickpeas with the Season’s pan?"], ["seas", "chickpe", "pan"]],
  ["fits", ["Teas", ["tea"]], true], ["fits", ["teapot", ["tea"]], false], ["fits", ["Seasoning", ["x", "seas"]], true],
  ["snippet", ["First one. The pan wants oil! Then baking it with oil, a pan is done. End.", null, "which oil for baking pans?"], "… Then baking it with oil, a pan is done. End."],
  ["snippet", ["Said before. Nothing else.", "Said before. And more.", "what was said?"], null],
  ["snippet", ["A text without an end", "", "text"], "A text without an end"],
  ["typeWord", ["NewsArticle"], "News article"], ["count", [12401, "ratings"], "12,401 ratings"], ["count", [1, "count"], "1 answer"],
  ["took", [0.42], "0.4 ms"], ["took", [86.2], "86 ms"], ["took", [2345], "2.3 s"],
];
for (const [name, args, want] of table) {
  test(`${name}(${args.map((a) => JSON.stringify(a)).join(", ")}) is ${JSON.stringify(want)}`, async () => assert.deepEqual(await words(name, ...args), want));
}
