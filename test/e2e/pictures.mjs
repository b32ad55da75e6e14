// Makes the pictures of the documentation, docs/img, from the sample site: the page on which people ask, and the console's first page.
// It needs the built program in FRONTDESK_BINARY, and `npm ci` in this folder.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { launch } from "./browser.mjs";
import { start } from "./desk.mjs";

const images = new URL("../../docs/img/", import.meta.url).pathname;
const folder = await mkdtemp(join(tmpdir(), "frontdesk-pictures-"));
const desk = await start("demo", "--listen", "127.0.0.1:0", "--data", folder);
const browser = await launch();
try {
  const config = join(folder, "frontdesk.yaml");
  const token = (await promisify(execFile)(process.env.FRONTDESK_BINARY, ["console", "token", "Ana", "--role", "owner", "--config", config])).stdout;
  const context = await browser.newContext({ viewport: { width: 1100, height: 720 }, locale: "en-US", timezoneId: "UTC", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(`${desk.url}/console/`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();

  const ask = async (text) => {
    await page.goto(desk.url);
    const box = page.getByRole("searchbox", { name: "Your question" });
    await box.fill(text);
    await box.press("Enter");
    await page.waitForFunction(() => document.body.classList.contains("asked") && !document.body.classList.contains("asking"));
  };
  for (const text of ["a rain jacket under 200", "what is on this weekend", "a violin teacher", "news about the harbour"]) await ask(text);
  for (const agent of ["Claude-User/1.0", "ChatGPT-User/1.0", "ChatGPT-User/1.0"]) {
    await fetch(`${desk.url}/ask`, {
      method: "POST", headers: { "Content-Type": "application/json", "User-Agent": agent },
      body: JSON.stringify({ query: { text: "soup without nuts" } }),
    });
  }
  await ask("a quick vegan dinner with chickpeas");
  await page.screenshot({ path: join(images, "ask.png") });
  await page.waitForTimeout(2000); // questions are written down every second
  await page.goto(`${desk.url}/console/`);
  await page.screenshot({ path: join(images, "console.png") });
} finally {
  await browser.close();
  await desk.stop();
  await rm(folder, { recursive: true, force: true });
}
