// Accessibility, as axe-core sees it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const source = await readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// axe fails where axe-core finds anything on a page as it stands, which a name tells apart from others. It comes through the browser's own tools, so that
// the page's policy need not let it in.
export async function axe(page, name = "") {
  await page.evaluate(source);
  const found = await page.evaluate(async () => (await globalThis.axe.run(document, {
    resultTypes: ["violations"], preload: false, // it would fetch, which policies forbid
  })).violations);
  assert.deepEqual(found.map(({ id, help, nodes }) => `${name} ${id}: ${help}: ${nodes.map((node) => node.target).join(" | ")}`), []);
}
