// Answers that are promised for later: how far the work is, the answer when it is there, and a way to end it. The server is
// the real one, told to make some questions slow.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

let browser, desk, folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  await writeFile(join(folder, "soup.json"), JSON.stringify([
    { "@type": "Recipe", url: "https://a.example/soup", name: "Lentil soup", description: "A quick lentil soup." },
    { "@type": "Recipe", url: "https://a.example/stew", name: "Beef stew", description: "A slow beef stew." },
  ]));
  await writeFile(join(folder, "frontdesk.yaml"), `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
sources: [{path: soup.json}]
ask: {promise: {slow: [{match: quick, for: 700ms}, {match: slow, for: 1h}]}}
`);
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", join(folder, "frontdesk.yaml"))]);
});
after(async () => { await browser?.close(); await desk?.stop(); await rm(folder, { recursive: true, force: true }); });

test("a promised answer comes by itself", async () => {
  const p = await open(browser, desk.url);
  await p.page.goto(`${desk.url}/?q=quick+lentil+soup`);
  await p.page.getByRole("progressbar", { name: "Progress" }).waitFor();
  await p.page.getByRole("heading", { name: "Lentil soup" }).waitFor();
  await p.asked();
  assert.equal(await p.page.getByRole("progressbar").count(), 0, "the progress goes when the answer is there");
  assert.match(await p.page.getByRole("status").first().innerText(), /1 answer/);
  await p.check();
});

test("a promise can be cancelled, and another question asked", async () => {
  const p = await open(browser, desk.url);
  await p.page.goto(`${desk.url}/?q=slow+beef+stew`);
  const promised = p.page.getByRole("region", { name: "The answer is being worked on." });
  await promised.waitFor();
  assert.match(await promised.innerText(), /About (60|59) min left\./);
  await p.picture("promise");
  await promised.getByRole("button", { name: "Cancel" }).press("Enter");
  await p.page.getByRole("heading", { name: "Cancelled" }).waitFor();
  assert.equal(await p.page.getByRole("progressbar").count(), 0);

  await p.page.goto(`${desk.url}/?q=slow+beef+stew`);
  await promised.waitFor();
  await p.asked("lentil soup"); // which takes the place of the one that is waited for
  await p.page.getByRole("heading", { name: "Lentil soup" }).waitFor();
  assert.equal(await p.page.getByRole("progressbar").count(), 0);
  await p.check();
});
