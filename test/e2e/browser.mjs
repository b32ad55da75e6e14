// A browser for the tests: Debian's Chromium, and pages that note everything that must not happen.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const executablePath = process.env.FRONTDESK_CHROMIUM || "/usr/bin/chromium";

// Chromium is to talk to nobody but the page's server. As root it has no sandbox of its own to start.
const args = [
  "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

export const launch = () => chromium.launch({ executablePath, args });

// pressed presses a thing and waits for what comes of it. Now and then Chromium loses a press: where it has asked for nothing in 5 seconds,
// which no server can be blamed for, the thing is pressed again. What was asked for and does not come fails.
async function pressed(page, target, outcome) {
  for (let tries = 1; ; tries++) {
    const asked = page.waitForEvent("request", { timeout: 5000 }).then(() => true, () => false);
    const came = outcome();
    came.catch(() => {}); // of a press that was lost
    await target.click();
    if (await asked || tries === 3) return came;
    console.error("pressed, and nothing was asked for: pressing again");
  }
}

// open opens a page that notes errors, dialogs, breaches of the content security policy and requests to other
// hosts. Call its check at the end of a test: it fails if there was any. Expected console errors, such as of a
// refused request, are named by a pattern; `also` is an origin to which requests may go, too.
export async function open(browser, base, options = {}) {
  const { expect = null, also = null, ...context } = options;
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context })).newPage();
  const seen = [];
  page.on("pageerror", (error) => seen.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expect?.test(message.text())) seen.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => { seen.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== new URL(base).origin && url.origin !== also) seen.push(`request to ${url.href}`);
  });
  // What a test waits for in vain was not answered, or never asked for, or the press that was to ask for it never reached the page. After
  // 15 seconds without anything, what was seen last tells which it was.
  const last = [];
  let quiet;
  const note = (text) => {
    last.push(text);
    if (last.length > 8) last.shift();
    clearTimeout(quiet);
    quiet = setTimeout(() => console.error(`nothing for 15 seconds, and before: ${last.join("; ")}`), 15000).unref();
  };
  page.on("request", (request) => note(`asked ${request.method()} ${request.url()}`));
  page.on("requestfinished", (request) => note(`answered ${request.url()}`));
  page.on("requestfailed", (request) => note(`failed ${request.url()}: ${request.failure()?.errorText}`));
  page.on("framenavigated", (frame) => note(`at ${frame.url()}`));
  page.on("download", (download) => note(`downloads ${download.url()}`));
  page.on("close", () => clearTimeout(quiet));
  await page.exposeBinding("noteDone", (_, text) => note(text));
  await page.addInitScript(() => {
    for (const done of ["mousedown", "click", "submit"]) {
      addEventListener(done, (e) => window.noteDone?.(`${done} on ${e.target.localName} ${e.target.textContent?.trim().slice(0, 40)}`), true);
    }
  });
  await page.exposeBinding("noteViolation", (_, text) => { seen.push(`policy: ${text}`); });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (e) => window.noteViolation(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}`));
  });
  return {
    page,
    box: page.getByRole("searchbox", { name: "Your question" }),
    cards: page.getByRole("list", { name: "Answers", exact: true }).locator("> li"),
    status: page.getByRole("status"),
    // asked waits until the answers to a question are all there.
    async asked(text) {
      if (text !== undefined) {
        await this.box.fill(text);
        await this.box.press("Enter");
      }
      await page.waitForFunction(() => document.body.classList.contains("asked") && !document.body.classList.contains("asking"));
    },
    // press presses what leads to another page of the server, and waits for that page: what stands under the same name on the page before
    // cannot be meant by what follows.
    async press(target) {
      await pressed(page, target, () => page.waitForEvent("framenavigated", { predicate: (frame) => frame === page.mainFrame(), timeout: 60000 }));
      await page.waitForLoadState();
    },
    // download presses what gives a file, and gives the file.
    async download(target) {
      return pressed(page, target, () => page.waitForEvent("download", { timeout: 60000 }));
    },
    // picture keeps a screenshot, if anybody wants to look.
    async picture(name, more = {}) {
      if (process.env.FRONTDESK_PICTURES) await page.screenshot({ path: `${process.env.FRONTDESK_PICTURES}/${name}.png`, ...more });
    },
    async check() {
      await page.waitForTimeout(50); // what was to run has run
      assert.deepEqual(seen, []);
      await page.context().close();
    },
  };
}
