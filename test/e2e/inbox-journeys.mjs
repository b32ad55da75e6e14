// What people do at the inbox, on either engine: journeys(engine) are the tests.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { furnish, hostile } from "./inbox.mjs";

export function journeys(engine) {
  let at;
  before(async () => { at = await furnish(engine); });
  after(() => at?.stop());

  test("a request is answered by hand, bound and seen to", async () => {
    const session = randomUUID(), asked = { guests: 14, wishes: "A long table." };
    assert.equal((await at.submit("cooks", session, asked)).status, "pending");
    const p = await at.login(at.operator);
    await p.press(p.page.getByRole("region", { name: "Waiting for you" }).getByRole("link", { name: /^Answer the request to Cooks/ }));
    await p.page.getByRole("heading", { name: "Cooks for your party" }).waitFor();
    assert.match(await p.page.getByRole("region", { name: "What was asked" }).innerText(), /guests\s+14\s+wishes\s+A long table\./);
    assert.equal(await p.page.title(), "Request · The Pantry");

    // Declining hides what an offer has, and back.
    await p.page.getByRole("radio", { name: "Decline" }).check();
    assert.equal(await p.page.getByLabel("Summary, which a person reads").isVisible(), false);
    await p.page.getByLabel("Reason, which a person reads").waitFor();
    await p.page.getByRole("radio", { name: "Make an offer" }).check();

    await at.write(p, "Two cooks, from four until ten.");
    const preview = p.page.getByRole("region", { name: "As the agent will see it" });
    await preview.getByText("The answer itself").click();
    const shown = JSON.parse(await preview.locator("pre.json").innerText());
    assert.equal((await at.submit("cooks", session, asked)).status, "pending", "what is only looked at is not sent");
    await p.press(p.page.getByRole("button", { name: "Change it" }));
    assert.equal(await p.page.getByLabel("Summary, which a person reads").inputValue(), "Two cooks, from four until ten.");
    await at.write(p, "Two cooks, from four until eleven.");
    await p.press(p.page.getByRole("button", { name: "Send it" }));
    await p.page.getByRole("heading", { name: "What was answered" }).waitFor();
    const { offer } = await at.submit("cooks", session, asked);
    assert.equal(offer.summary, "Two cooks, from four until eleven.");
    assert.deepEqual({ ...offer, summary: "", id: "", expires: "" }, { ...shown.offer, summary: "", id: "", expires: "" });

    const bound = await at.bind("cooks", session, offer.id, { email: "ana@pantry.example", full_name: "Ana Example" });
    assert.equal(bound.status, "bound", JSON.stringify(bound));
    await p.press(p.page.getByRole("link", { name: /^Requests/ }).first());
    await p.press(p.page.getByRole("link", { name: /^Open the accepted offer of Cooks/ }));
    assert.match(await p.page.getByRole("region", { name: "What it was accepted with" }).innerText(), /ana@pantry\.example[^]*Ana Example/);
    await p.press(p.page.getByRole("button", { name: "Mark as done" }));
    await p.page.getByText(/^Done /).waitFor();
    assert.match(await p.page.getByRole("region", { name: "How long it is kept" }).innerText(), /What it was accepted with\s+until/);

    // Its receipts are true, and lead back.
    await p.press(p.page.getByRole("region", { name: "Receipts" }).getByRole("link").last());
    await p.press(p.page.getByRole("button", { name: /^Verify/ }).first());
    await p.page.getByRole("heading", { name: "True" }).waitFor();
    await p.press(p.page.getByRole("link", { name: "What was asked, and what came of it" }));
    await p.page.getByRole("heading", { name: "Cooks for your party" }).waitFor();
    await p.check();
  });

  test("of two who answer, one is heard and the other is told", async () => {
    const session = randomUUID();
    await at.submit("cooks", session, { guests: 2 });
    const [ana, bo] = [await at.login(at.operator), await at.login(at.operator, { expect: /status of 409/ })];
    for (const p of [ana, bo]) await at.find(p, session);
    await at.write(bo, "Three cooks, of course.");
    await at.write(ana, "One cook will do.");
    await ana.press(ana.page.getByRole("button", { name: "Send it" }));
    await ana.page.getByRole("heading", { name: "What was answered" }).waitFor();
    await bo.press(bo.page.getByRole("button", { name: "Send it" }));
    assert.match(await bo.page.getByRole("alert").innerText(), /Somebody was faster/);
    assert.match(await bo.page.getByRole("main").innerText(), /What you wrote\s+Three cooks, of course\.[^]*What was answered\s+One cook will do\./);
    assert.equal((await at.submit("cooks", session, { guests: 2 })).offer.summary, "One cook will do.");
    await ana.check();
    await bo.check();
  });

  test("what cannot be delivered says why, and is tried again when asked for", async () => {
    const session = randomUUID();
    await at.submit("table", session, { guests: 3 });
    const p = await at.login(at.operator);
    await at.find(p, session);
    await at.write(p, "The table by the window.");
    await p.press(p.page.getByRole("button", { name: "Send it" }));
    const { offer } = await at.submit("table", session, { guests: 3 });
    await at.bind("table", session, offer.id, { email: "cy@pantry.example" });
    const failed = p.page.getByRole("region", { name: "Waiting for you" }).getByRole("listitem").filter({ hasText: "A table at the counter" });
    for (;;) { // until the first try was made
      await p.page.goto(`${at.url}/console/inbox`);
      if (await failed.count()) break;
    }
    assert.match(await failed.innerText(), /503[^]*Tried \d+ times?; next at/);
    at.answer = 204;
    await p.press(failed.getByRole("button", { name: /^Try again/ }));
    for (;;) {
      await p.page.goto(`${at.url}/console/inbox`);
      if (!(await failed.count())) break;
    }
    assert.deepEqual(at.told.map((one) => JSON.stringify(one).includes("cy@pantry.example")), [true], "told once");
    await p.check();
  });

  test("a viewer sees that there is something, and neither reads nor acts", async () => {
    const session = randomUUID();
    await at.submit("cooks", session, { guests: 5, wishes: "Candles." });
    const p = await at.login(at.viewer, { expect: /status of 403/ });
    await p.page.getByText("You are a viewer").waitFor();
    await at.find(p, session);
    const main = await p.page.getByRole("main").innerText();
    assert.match(main, /waits for an answer[^]*Operators read this/);
    assert.ok(!main.includes("Candles."));
    assert.equal(await p.page.getByRole("main").getByRole("button").count(), 0);
    await p.page.goto(`${p.page.url()}/erase`);
    assert.match(await p.page.getByRole("alert").innerText(), /Your role does not change this/);
    await p.check();
  });

  test("what agents send is shown as text, whatever it is, and stays in the inbox", async () => {
    const session = randomUUID(), who = { id: hostile.replaceAll("marker7", "agent7"), platform: hostile };
    const asked = { guests: 1, wishes: hostile, budget: { [hostile]: [hostile, { a: hostile }] } };
    await at.submit("cooks", session, asked, who);
    const p = await at.login(at.operator);
    await at.find(p, session);
    assert.match(await p.page.getByRole("region", { name: "What was asked" }).innerText(), /<script>alert\('marker7'\)<\/script>/);
    await at.write(p, hostile);
    await p.press(p.page.getByRole("button", { name: "Send it" }));
    const { offer } = await at.submit("cooks", session, asked, who);
    const bound = await at.bind("cooks", session, offer.id, { email: "marker7@pantry.example", full_name: hostile }, who);
    assert.equal(bound.status, "bound", JSON.stringify(bound));
    await p.page.reload();
    assert.match(await p.page.getByRole("region", { name: "What it was accepted with" }).innerText(), /marker7@pantry\.example[^]*<img src=x/);
    await p.press(p.page.getByRole("link", { name: "Erase…" }));
    await p.page.getByRole("heading", { name: "Erase for good?" }).waitFor();
    await p.press(p.page.getByRole("link", { name: "Keep it" }));
    await at.find(p, hostile);
    await p.page.getByText("Nothing has this id.").waitFor();
    await p.page.goto(`${at.url}/console/`);
    assert.ok(!(await p.page.content()).includes("marker7"), "the receipts have what was submitted");
    await p.check();
  });

  test("erasing is asked twice, and leaves ids and times", async () => {
    const session = randomUUID();
    await at.submit("cooks", session, { guests: 6, wishes: "A quiet corner, marker8." });
    await at.submit("table", session, { guests: 6 });
    const p = await at.login(at.operator);
    await at.find(p, session);
    assert.equal(await p.page.getByRole("table", { name: "Requests, the newest first" }).getByRole("row").count(), 3, "the head and two of one session");
    await p.press(p.page.getByRole("row").filter({ hasText: "Cooks" }).getByRole("link"));
    await p.page.getByText("A quiet corner, marker8.").waitFor();
    const address = p.page.url();
    await p.press(p.page.getByRole("link", { name: "Erase…" }));
    const main = p.page.getByRole("main");
    assert.match(await main.innerText(), /one more request[^]*A table at the counter[^]*What will be gone[^]*What stays/);
    await p.press(p.page.getByRole("link", { name: "Keep it" }));
    await p.page.getByText("A quiet corner, marker8.").waitFor();
    await p.press(p.page.getByRole("link", { name: "Erase…" }));
    await p.press(p.page.getByRole("button", { name: "Erase everything of this session" }));
    await p.page.waitForURL(address);
    assert.match(await main.innerText(), new RegExp(`erased[^]*${session}[^]*It was erased`));
    assert.ok(!(await main.innerText()).includes("marker8"));
    await p.page.goto(`${at.url}/console/receipts?kind=erase`);
    assert.match(await p.page.getByRole("table", { name: "Entries of the ledger" }).innerText(), /Request erased[^]*because somebody asked for it; by Ana/);
    await p.check();
  });

  test("requests are filtered, and the plot counts what came of them", async () => {
    const p = await at.login(at.viewer);
    const plot = p.page.getByRole("group", { name: "Requests by day, and what became of them" });
    assert.match(await plot.ariaSnapshot(), /7 submitted, 4 offered, 3 accepted, 0 expired/);
    const figures = p.page.getByRole("table", { name: "Intakes and platforms in the last 30 days" });
    assert.match(await figures.getByRole("row", { name: /^A table at the counter example-chat/ }).innerText(), /1\s+1\s+1\s+0$/);
    await p.page.getByRole("combobox", { name: /^Intake/ }).selectOption("Cooks for your party");
    await p.page.getByRole("combobox", { name: /^State/ }).selectOption("waits for an answer");
    await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
    await p.page.waitForURL(/state=waiting/);
    assert.equal(await p.page.getByRole("table", { name: "Requests, the newest first" }).getByRole("row").count(), 2, "the head and the one that waits");
    await p.page.getByRole("textbox", { name: "Day" }).fill("2025-01-01");
    await p.press(p.page.getByRole("button", { name: "Show", exact: true }));
    await p.page.getByText("Nothing fits what you chose.").waitFor();
    await p.press(p.page.getByRole("link", { name: "Show all" }));
    await p.page.getByRole("row").filter({ hasText: "erased" }).first().waitFor();
    await p.check();
  });

  if (engine !== "SQLite") return;
  test("nothing of what was submitted is in the clear on disk", async () => {
    const files = await readdir(join(at.folder, "data"), { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile())) {
      const path = join(file.parentPath ?? file.path, file.name);
      const bytes = await readFile(path);
      for (const marker of ["marker7", "marker8", "pantry.example\"}", "A long table", "Candles."]) assert.ok(!bytes.includes(marker), `${path} has ${marker}`);
    }
    assert.ok(files.some((one) => one.name === "vault.db"), "there is no vault");
  });
}
