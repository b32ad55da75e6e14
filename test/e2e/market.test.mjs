// The market in a box: a person presses every button, watches what passes, and has a receipt verified.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

let browser, market;
before(async () => {
  browser = await launch();
  market = await start("demo", "--market", "--listen", "127.0.0.1:0");
});
after(async () => { await browser?.close(); await market?.stop(); });

// press presses a button and waits for what came of it, which it gives.
async function press(page, name, title) {
  const before = await page.evaluate(() => document.querySelector("#came article")?.textContent);
  await page.getByRole("button", { name, exact: true }).click();
  await page.waitForFunction((was) => { const e = document.querySelector("#came article"); return e && e.textContent !== was; }, before);
  const box = page.locator("#came article").first();
  assert.ok((await box.getByRole("heading").textContent()).startsWith(title), await box.textContent());
  return box.textContent();
}

for (const look of [{ name: "wide", viewport: { width: 1440, height: 1000 } }, { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "dark" }]) {
  test(`every button, ${look.name}`, async () => {
    const p = await open(browser, market.url, look);
    const { page } = p;
    await page.goto(market.url);
    await page.getByRole("heading", { level: 1, name: "A market in a box" }).waitFor();
    assert.match(await press(page, "Ask", "Asked"), /Inside the dredging contract \(sold\)/);
    await press(page, "Retrieve", "Retrieved");
    await press(page, "Tell that it was shown", "Told");
    // Through the Broker, which takes the cheaper of two and a fee, and says what it passed over.
    assert.match(await press(page, "Ask the price", "The price"), /0\.015 XTS per access.*at south\.localhost; the Broker takes 0\.0015 XTS, and all of it is 0\.0165 XTS/);
    const choice = page.getByRole("region", { name: "How the Broker chose" });
    await choice.getByRole("row", { name: /North Exchange 0\.02 XTS per access is not taken/ }).waitFor();
    await choice.getByRole("row", { name: /South Exchange 0\.015 XTS per access is taken/ }).waitFor();
    assert.match(await press(page, "Buy", "Bought"), /Sold bysouth\.localhostCost0\.015 XTSBroker’s fee0\.0015 XTSPassed overnorth\.localhost: it costs 0\.02 XTS, and 0\.0165 XTS may be paid/);
    await choice.getByRole("row", { name: /North Exchange 0\.02 XTS per access is passed over: it costs 0\.02 XTS/ }).waitFor();
    await choice.getByText(/passed on and signed by broker\.localhost:\d+/).waitFor();
    assert.match(await press(page, "Fetch", "Fetched"), /byte for byte.*it is open for both sides/s);
    await press(page, "Report its use", "Reported");
    await press(page, "Dispute", "Disputed");

    // By words: the Broker searches what the publishers publish.
    await page.getByLabel("Ask for a text about").fill("how is a barometer read, and who owns the waterfront");
    assert.match(await press(page, "Find it", "Searched by words"), /Who owns the waterfront\?0\.015 XTS per access.*at south\.localhost; the Broker takes 0\.0015 XTS.*Found, and not soldHow to read a barometer/);
    await choice.getByText(/^Its search for “how is a barometer read, and who owns the waterfront” found \d texts, for which the agent signed\./).waitFor();
    await choice.getByRole("row", { name: /South Exchange .*\/premium\/who-owns-the-waterfront for 0\.015 XTS per access.* is taken/ }).waitFor();
    assert.equal(await page.getByLabel("Address of the text").evaluate((e) => e.selectedOptions[0].textContent), "Who owns the waterfront?");
    assert.match(await press(page, "Buy what fits best", "Bought"), /Sold bysouth\.localhostCost0\.015 XTSBroker’s fee0\.0015 XTS/);
    assert.match(await press(page, "Fetch what was bought", "Fetched"), /it begins with a rope shed that has no roof/);
    await press(page, "Report its use", "Reported");
    await page.getByLabel("Ask for a text about").fill("zyzzyva quokka xylophone");
    assert.match(await press(page, "Find it", "Searched by words: it did not work"), /the Broker's search finds nothing for these words; put it in others/);

    // By the agent itself, at the Exchanges.
    await page.getByLabel("Who compares and buys").selectOption({ label: "The agent itself, at the Exchanges" });
    assert.ok(await page.getByRole("button", { name: "Buy", exact: true }).isDisabled(), "what was quoted by the Broker can be bought as if by the agent");
    assert.match(await press(page, "Ask the price", "The price"), /0\.015 XTS per access.*at south.*0\.02 XTS per access.*at north/);
    assert.match(await press(page, "Buy", "Bought"), /Cost0\.015 XTS/);
    assert.match(await press(page, "Submit", "Submitted"), /760\.00 EUR/);
    assert.match(await press(page, "Accept the offer", "Accepted"), /nothing is painted/);
    await page.getByText(/^Spent 0\.0\d+ of 1 XTS this month, 0\.0\d+ of it through the Broker\.$/).waitFor();

    // What passed is drawn for eyes, and said in words.
    if (look.name === "wide") {
      assert.ok(await page.locator("#drawing path").count() > 15);
      await page.getByText("The same in words").click();
    }
    await page.getByRole("list", { name: "Messages" }).getByText("Quay Broker asks South Exchange: POST ExecuteTransaction, answered 200").first().waitFor();
    await page.getByRole("list", { name: "Messages" }).getByText("Reading bot asks South Exchange: POST ExecuteTransaction, answered 200").first().waitFor();
    await page.getByRole("list", { name: "Messages" }).getByText("passed over north.localhost: it costs 0.02 XTS, and 0.0165 XTS may be paid").first().waitFor();
    await page.getByRole("list", { name: "Messages" }).getByText("Harbour Chat asks The Tidewater Review: POST /intent/retrieve, answered 200").first().waitFor();

    await page.getByRole("list", { name: "Messages" }).getByText("looks for: how is a barometer read, and who owns the waterfront").first().waitFor();
    await page.getByRole("list", { name: "Messages" }).getByText("refused: the search found nothing").first().waitFor();

    // A receipt is true, and a changed one is not.
    await page.getByRole("list", { name: "Receipts" }).getByRole("button", { name: /^transaction · South Exchange/ }).first().click();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(/^True: it stands in the ledger/).waitFor();
    await p.picture(`market-${look.name}`, { fullPage: true });
    const box = page.getByLabel("The receipt. Change a letter, and verify it again.");
    await box.fill((await box.inputValue()).replace('"kind": "transaction"', '"kind": "gift"'));
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(/^Not true: /).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    await p.check();
  });
}

test("the Broker's budget, and a message that is pressed", async () => {
  const p = await open(browser, market.url, { viewport: { width: 1440, height: 1000 }, reducedMotion: "reduce" });
  const { page } = p;
  await page.goto(market.url);
  await press(page, "Ask", "Asked");
  let last = "";
  for (let n = 0; n < 4 && !last.includes("it did not work"); n++) { // the tests before this one have bought, too
    await press(page, "Ask the price", "The price");
    last = await press(page, "Buy", "Bought");
  }
  assert.match(last, /Bought: it did not work.*XTS left of 0\.1 XTS/);
  const choice = page.getByRole("region", { name: "How the Broker chose" });
  await choice.getByRole("row", { name: /South Exchange 0\.015 XTS per access nothing is bought/ }).waitFor();
  await choice.getByText(/refused: the budget "operator" has/).waitFor();
  const drawn = page.locator("#drawing .message").filter({ hasText: "Resolve 429" }).last();
  await drawn.scrollIntoViewIfNeeded();
  await drawn.click();
  const line = page.locator("#messages > li:focus");
  await line.getByText("Quay Broker").waitFor();
  assert.match(await line.textContent(), /POST Resolve, answered 429.*refused: the budget/);
  assert.equal(await page.locator("#drawing .fresh").evaluateAll((all) => all.filter((e) => getComputedStyle(e).animationName !== "none").length), 0, "something moves for who wants no motion");
  assert.ok(await page.evaluate(() => document.querySelector("#drawing .lane").y2.baseVal.value >= document.querySelector("#drawing").height.baseVal.value - 40), "the lanes end before the messages");
  await p.check();
});

test("by keyboard alone, and what does not work says so", async () => {
  const p = await open(browser, market.url, {});
  const { page } = p;
  await page.goto(market.url);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to what you can do");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("how is a barometer read?");
  await page.keyboard.press("Enter");
  await page.locator("#came article").getByText("How to read a barometer").waitFor();
  await page.getByLabel("Length in metres").fill("25");
  await page.getByLabel("Length in metres").press("Enter");
  await page.locator("#came article.failed").getByText(/up to twenty metres/).waitFor();
  await p.check();
});
