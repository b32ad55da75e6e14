// The sample sites' own pages, as a visitor sees them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { demo } from "./desk.mjs";

let browser, desk;
before(async () => { [browser, desk] = await Promise.all([launch(), demo()]); });
after(async () => { await browser?.close(); await desk?.stop(); });

test("from the town's page to a recipe, and from there to the front desk", async () => {
  const p = await open(browser, desk.url);
  await p.page.goto(desk.url + "/sample/");
  await p.picture("sample-town", { fullPage: true });
  await p.page.getByRole("navigation", { name: "Sites" }).getByRole("link", { name: "Larkspur Kitchen" }).click();
  await p.page.getByRole("link", { name: "Lemon Barley Soup with Dill" }).click();
  await p.page.getByRole("heading", { level: 1, name: "Lemon Barley Soup with Dill" }).waitFor();
  const data = JSON.parse(await p.page.locator('script[type="application/ld+json"]').textContent());
  assert.equal(data.url, p.page.url());
  await p.picture("sample-recipe", { fullPage: true });
  await p.page.getByRole("searchbox", { name: "Ask the front desk" }).fill("soup with dill");
  await p.page.keyboard.press("Enter");
  await p.asked();
  await p.page.getByRole("heading", { name: "Lemon Barley Soup with Dill" }).waitFor();
  await p.check();
});

for (const [path, heading] of [
  ["/sample/shop/harbour-rain-jacket", "Harbour Rain Jacket"], ["/sample/review/storm-diary", "Storm diary: eleven hours in January"],
  ["/sample/review/premium/inside-the-dredging-contract", "Inside the dredging contract"], ["/sample/events/oyster-weekend", "Oyster Weekend"],
]) {
  test(`${path} fits a phone and a desk`, async () => {
    for (const viewport of [{ width: 360, height: 740 }, { width: 1280, height: 900 }]) {
      const p = await open(browser, desk.url, { viewport, colorScheme: viewport.width < 500 ? "dark" : "light" });
      await p.page.goto(desk.url + path);
      await p.page.getByRole("heading", { level: 1, name: heading }).waitFor();
      const wide = await p.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide at ${viewport.width}`);
      await p.picture(`sample-${path.split("/").pop()}-${viewport.width}`);
      await p.check();
    }
  });
}
