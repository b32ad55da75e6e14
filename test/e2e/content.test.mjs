// The console's pages on content: what could not be read is mended and read anew, an item is found and looked at as others
// see it, and a viewer changes nothing. Empty and full, on a desk and a phone, light and dark.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const run = (...args) => promisify(execFile)(process.env.FRONTDESK_BINARY, args);

let browser, desk, folder, editor, viewer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  const config = join(folder, "frontdesk.yaml");
  await mkdir(join(folder, "wares"));
  await writeFile(join(folder, "wares", "mug.html"), `<title>Mug</title><script type="application/ld+json">{"@type": "Product", "name": "Mug", "url": "https://kiln.example/mug" "sku": "1"</script><main><h1>Mug</h1><p>A mug from the kiln.</p></main>`);
  await writeFile(join(folder, "wares", "vase.json"), `{"@type": "Product", "name": "Tall vase", "url": "https://kiln.example/vase", "description": "A vase for long stems, thrown by hand and fired twice."}`);
  await writeFile(join(folder, "wares", "empty.html"), "");
  await writeFile(config, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: kiln, name: The Kiln, url: https://kiln.example}
sources: [{path: wares}]
terms: [{match: {path: /vase}, access: licensed, excerpt: {words: 3}}, {match: {}, access: open}]
`);
  editor = (await run("console", "token", "Ana", "--role", "editor", "--config", config)).stdout;
  viewer = (await run("console", "token", "Bo", "--role", "viewer", "--config", config)).stdout;
  [browser, desk] = await Promise.all([launch(), start("serve", "--config", config)]);
});
after(async () => { await browser?.close(); await desk?.stop(); await rm(folder, { recursive: true, force: true }); });

// login opens the console as the holder of a token.
async function login(token, options) {
  const p = await open(browser, desk.url, options);
  await p.page.goto(`${desk.url}/console/`);
  await p.page.getByLabel("Token").fill(token);
  await p.press(p.page.getByRole("button", { name: "Log in" }));
  return p;
}

test("what could not be read is shown with its place, mended and read anew", async () => {
  const p = await login(editor);
  await p.press(p.page.getByRole("link", { name: "Content", exact: true }));
  const sources = p.page.getByRole("table", { name: "Sources" });
  assert.match(await sources.innerText(), /wares\s[\s\S]*Read in part[\s\S]*2 problems/);
  await p.press(sources.getByRole("link", { name: "2 problems" }));
  const problems = p.page.getByRole("table", { name: "Problems" });
  assert.match(await problems.getByRole("row", { name: /mug\.html/ }).innerText(), /"url": "https:\/\/kiln\.example\/mug" "sku"[\s\S]*Mend the JSON/);
  await writeFile(join(folder, "wares", "empty.html"), "<title>Opening hours</title><main><p>The kiln is open from ten to six.</p></main>");
  await p.press(p.page.getByRole("button", { name: "Read now" }));
  for (let tries = 0; tries < 50 && !(await p.page.getByText("The source was read.").count()); tries++) {
    await p.page.reload();
  }
  assert.doesNotMatch(await problems.innerText(), /empty\.html/);
  assert.match(await p.page.locator("dl").innerText(), /1 added/);
  await p.check();
});

test("an item is found, and shown as others see it", async () => {
  const p = await login(viewer);
  await p.page.goto(`${desk.url}/console/content`);
  await p.page.getByLabel("Words or address").fill("TALL");
  await p.press(p.page.getByRole("main").getByRole("button", { name: "Find" }));
  const items = p.page.getByRole("table", { name: "Items" });
  assert.equal(await items.getByRole("row").count(), 2);
  assert.match(await items.innerText(), /Notice only\s+rule 1, line 7/);
  await p.press(items.getByRole("link", { name: "Tall vase" }));
  const stranger = p.page.getByRole("region", { name: "A stranger" });
  assert.match(await stranger.innerText(), /A vase for/);
  assert.doesNotMatch(await stranger.innerText(), /fired twice/);
  await p.page.getByRole("cell", { name: /fired twice/ }).first().waitFor();
  await p.check();
});

test("a viewer sees, and changes nothing", async () => {
  const p = await login(viewer);
  await p.page.goto(`${desk.url}/console/content/kiln/wares`);
  assert.equal(await p.page.getByRole("button", { name: "Read now" }).count(), 0);
  const token = await p.page.locator('input[name="form"]').first().inputValue();
  for (const path of ["content/kiln/wares/read", "content/add"]) {
    const answer = await p.page.request.post(`${desk.url}/console/${path}`, {
      form: { form: token, url: "https://kiln.example/" }, headers: { "Sec-Fetch-Site": "same-origin" }, maxRedirects: 0,
    });
    assert.equal(answer.status(), 403, path);
  }
});

for (const [device, viewport] of [["desk", { width: 1280, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`the pages of content on a ${device}, ${colorScheme}`, async () => {
      const p = await login(editor, { viewport, colorScheme });
      for (const [name, page] of Object.entries({
        content: "content", nothing: "content?q=zzz", source: "content/kiln/wares", problems: "content/problems", add: "content/add",
        item: "content/item?url=https://kiln.example/vase",
      })) {
        await p.page.goto(`${desk.url}/console/${page}`);
        await p.page.getByRole("heading", { level: 1 }).waitFor();
        const wide = await p.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
        await p.picture(`content-${name}-${device}-${colorScheme}`, { fullPage: true });
      }
      await p.check();
    });
  }
}
