// The owner's inbox on a desk and a phone, light and dark: every page of it fits.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { furnish, hostile } from "./inbox.mjs";

let at;
const bound = randomUUID(), erased = randomUUID(), waiting = randomUUID();
const word = "donaudampfschifffahrtsgesellschaft", long = word.repeat(8);
const asked = { guests: 14, wishes: `A long table.\nCandles. ${long}`, budget: { from: 400, to: 900, [word]: [hostile] } };
before(async () => {
  at = await furnish("SQLite");
  for (const session of [bound, erased]) assert.equal((await at.submit("cooks", session, asked)).status, "pending");
  await at.submit("table", bound, { guests: 3 });
  const p = await at.login(at.operator);
  for (const intake of ["cooks", "table"]) {
    await p.page.goto(`${at.url}/console/inbox?state=waiting&intake=${intake}`);
    await p.press(p.page.getByRole("link", { name: /^Request of .* to / }).last());
    await at.write(p, `Two cooks, from four until ten. ${long}`);
    await p.press(p.page.getByRole("button", { name: "Send it" }));
    await p.page.getByRole("heading", { name: "What was answered" }).waitFor();
  }
  const { offer } = await at.submit("cooks", bound, asked);
  await at.bind("cooks", bound, offer.id, { email: "ana@pantry.example", full_name: long });
  await p.page.goto(`${at.url}/console/inbox`);
  await at.find(p, erased);
  await p.press(p.page.getByRole("link", { name: "Erase…" }));
  await p.press(p.page.getByRole("button", { name: /^Erase/ }).last());
  await at.submit("table", waiting, { guests: 3 });
  await at.submit("cooks", waiting, { guests: 2 }, { id: long, platform: long });
  await p.check();
});
after(() => at?.stop());

for (const [device, viewport] of [["desk", { width: 1280, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`it fits on a ${device}, ${colorScheme}`, async () => {
      const p = await at.login(at.operator, { viewport, colorScheme });
      const look = async (name) => {
        const wide = await p.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
        const cut = await p.page.locator(".wide").evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth).filter((n) => n > 0));
        assert.deepEqual(cut, [], `tables of ${name} are wider than their place`);
        await p.picture(`inbox-${name}-${device}-${colorScheme}`, { fullPage: true });
      };
      await look("list");
      await p.press(p.page.getByRole("link", { name: /^Answer the request/ }).first());
      await p.page.getByRole("heading", { name: "Your answer" }).waitFor();
      await look("waiting");
      await at.write(p, "Two cooks, from four until ten.");
      await look("preview");
      for (const state of ["bound", "erased"]) {
        await p.page.goto(`${at.url}/console/inbox?state=${state}`);
        await p.press(p.page.getByRole("table", { name: "Requests, the newest first" }).getByRole("link").first());
        await p.page.getByRole("heading", { name: "Receipts" }).waitFor();
        await look(state);
      }
      await p.page.goto(`${at.url}/console/inbox?state=bound`);
      await p.press(p.page.getByRole("table", { name: "Requests, the newest first" }).getByRole("link").first());
      await p.press(p.page.getByRole("link", { name: "Erase…" }));
      await look("erase");
      await p.check();
    });
  }
}

