// The whole journey of a person who reads German or Japanese, over a shop in that language: asked back and answering, conditions
// taken away, what was left out told, a follow-up, a promise watched and cancelled. All that the page and the desk say is in
// that language, prices have its signs, and everything fits a phone.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { start } from "./desk.mjs";

const tongues = {
  de: {
    locale: "de-DE", currency: "EUR",
    lamps: [["Leselampe Eiche", "rot", "Holz", 29.9], ["Leselampe Messing", "gold", "Messing", 89], ["Tischlampe Ton", "rot", "Ton", 45], ["Tischlampe Papier", "weiß", "Papier", 19.5],
      ["Stehlampe Leinen", "weiß", "Leinen", 129], ["Stehlampe Stahl", "schwarz", "Stahl", 99], ["Klemmlampe", "schwarz", "Stahl", 24], ["Nachttischlampe Glas", "blau", "Glas", 39],
      ["Nachttischlampe Kugel", "weiß", "Glas", 35], ["Pendellampe Kupfer", "kupfer", "Kupfer", 149], ["Pendellampe Rattan", "natur", "Rattan", 79], ["Werkstattlampe", "rot", "Stahl", 59]],
    about: (name, material) => `${name}: eine Lampe aus ${material}, für abends und für lange Bücher.`,
    box: "Ihre Frage", answers: "Antworten", understood: "Was verstanden wurde",
    vague: "Lampe", headline: "12 Einträge passen. Mit ein paar Angaben mehr findet sich der richtige:", price: "Wie viel darf es kosten?", cheap: "bis 40 €", reply: "Antworten",
    chip: "Preis höchstens 40 €", take: "Entfernen: Preis höchstens 40 €", card: "19,50 €",
    none: "blaue Lampe aus Holz unter 20 Euro", relaxed: "Nichts erfüllt das alles. Weggelassen: Preis unter 20 €, Material: Holz.", soft: "am liebsten Farbe: blau",
    follow: "Weiterfragen", next: "unter 50 Euro", thread: "Dieses Gespräch", nextChip: "Preis unter 50 €",
    slow: "langsam Lampe", promised: "An der Antwort wird gearbeitet.", left: /Noch etwa (60|59) min\./, cancel: "Abbrechen", cancelled: "Abgebrochen", progress: "Fortschritt", kind: "Produkt",
  },
  ja: {
    locale: "ja-JP", currency: "JPY",
    lamps: [["読書ランプ 樫", "赤", "木", 3200], ["読書ランプ 真鍮", "金", "真鍮", 9800], ["卓上ランプ 陶器", "赤", "陶器", 4500], ["卓上ランプ 和紙", "白", "紙", 1980],
      ["フロアランプ 麻", "白", "麻", 12900], ["フロアランプ 鋼", "黒", "鋼", 9900], ["クリップランプ", "黒", "鋼", 2400], ["枕元ランプ ガラス", "青", "ガラス", 3900],
      ["枕元ランプ 球", "白", "ガラス", 3500], ["ペンダントランプ 銅", "銅色", "銅", 14900], ["ペンダントランプ 籐", "自然", "籐", 7900], ["作業ランプ", "赤", "鋼", 5900]],
    about: (name, material) => `${material}のランプです。夜の読書に。`,
    box: "ご質問", answers: "回答", understood: "理解した内容",
    vague: "ランプ", headline: "12件見つかりました。もう少し詳しく教えてください。", price: "ご予算はいくらですか？", cheap: "￥4000まで", reply: "回答する",
    chip: "価格は￥4,000以下", take: "取り消す：価格は￥4,000以下", card: "￥1,980",
    none: "青いランプ 1000円以下 評価5以上", relaxed: "すべてを満たすものがないため、次の条件を外しました：価格は￥1,000以下、評価は5以上", soft: "できれば色：青",
    follow: "続けて質問", next: "5000円以下", thread: "これまでの質問", nextChip: "価格は￥5,000以下",
    slow: "ゆっくり ランプ", promised: "回答を準備しています。", left: /残り約(60|59)分。/, cancel: "中止", cancelled: "中止しました", progress: "進行状況", kind: "商品",
  },
};

// The screens on which the journey is made; the first is the one on which every step is held.
const screens = {
  desk: { viewport: { width: 1280, height: 900 } },
  "desk-dark": { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  "phone-dark": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" },
};

let browser, folder;
const desks = {};
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "frontdesk-e2e-"));
  browser = await launch();
  for (const [language, t] of Object.entries(tongues)) {
    await writeFile(join(folder, `${language}.json`), JSON.stringify(t.lamps.map(([name, color, material, price], n) => ({
      "@type": "Product", url: `https://lamps.example/${language}/${n}`, name, inLanguage: language, description: t.about(name, material), color, material,
      offers: { "@type": "Offer", price, priceCurrency: t.currency, availability: "https://schema.org/InStock" },
      aggregateRating: { "@type": "AggregateRating", ratingValue: 3.1 + (n % 4) * 0.4, ratingCount: 11 + n },
    }))));
    await writeFile(join(folder, `${language}.yaml`), `
listen: 127.0.0.1:0
data: data-${language}
metrics: {listen: "off"}
sources: [{path: ${language}.json}]
ask:
  elicit: {mode: auto, more_than: 5}
  promise: {slow: [{match: ${t.slow.split(" ")[0]}, for: 1h}]}
`);
    desks[language] = await start("serve", "--config", join(folder, `${language}.yaml`));
  }
});
after(async () => {
  await browser?.close();
  for (const desk of Object.values(desks)) await desk.stop();
  await rm(folder, { recursive: true, force: true });
});

for (const [language, t] of Object.entries(tongues)) {
  for (const [screen, options] of Object.entries(screens)) {
    test(`the journey in ${language} on a ${screen.replace("-", " in the ")}`, async () => {
      const p = await open(browser, desks[language].url, { ...options, locale: t.locale });
      const { page } = p;
      p.box = page.getByRole("searchbox", { name: t.box });
      const cards = page.getByRole("list", { name: t.answers, exact: true }).locator("> li");
      const understood = page.getByRole("region", { name: t.understood });
      const fits = async (step) => {
        await page.waitForFunction(() => document.getAnimations().every((a) => a.playState !== "running" || a.effect.getTiming().iterations === Infinity));
        const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide[0] <= wide[1], `${step}: the page is ${wide[0]} pixels wide on ${wide[1]}`);
        await p.picture(`${language}-${screen}-${step}`, { fullPage: true });
      };

      await page.goto(desks[language].url);
      assert.equal(await page.evaluate(() => document.documentElement.lang), language);
      await fits("1-begin");

      // Asked back, and answered with a choice.
      await p.asked(t.vague);
      const form = page.getByRole("form", { name: t.headline });
      await form.waitFor();
      await fits("2-asked-back");
      await form.getByRole("group", { name: t.price }).getByRole("radio", { name: t.cheap }).check();
      await form.getByRole("button", { name: t.reply, exact: true }).click();
      await cards.first().waitFor();
      await p.asked();
      assert.equal(await cards.count(), 5);
      assert.ok((await cards.allInnerTexts()).some((text) => text.replace(/\u00a0/g, " ").includes(t.card)), `no card says ${t.card}`);
      assert.ok((await cards.first().innerText()).includes(t.kind), await cards.first().innerText());
      assert.deepEqual(await understood.getByRole("list").getByRole("button").allInnerTexts(), [`${t.chip}×`]);
      await fits("3-answered");

      // The condition taken away.
      await understood.getByRole("button", { name: t.take }).click();
      await p.asked();
      assert.equal(await cards.count(), 10);
      assert.equal(await understood.count(), 0);

      // What gave way is told.
      await p.asked(t.none);
      await understood.getByText(t.relaxed).waitFor();
      assert.ok((await understood.getByRole("list").getByRole("button").allInnerTexts()).includes(`${t.soft}×`));
      assert.equal(await understood.locator(".chips s").count(), 2, "what gave way is struck out");
      await fits("4-relaxed");

      // A follow-up, whose hint is to be read whole.
      await page.goto(`${desks[language].url}/?q=${encodeURIComponent(t.vague)}&with=${encodeURIComponent('{"price":"any","color":"any"}')}`);
      await cards.first().waitFor();
      await p.asked();
      const follow = page.getByRole("textbox", { name: t.follow });
      await follow.fill(t.next);
      await follow.press("Enter");
      await page.getByRole("navigation", { name: t.thread }).waitFor();
      await p.asked();
      assert.ok((await understood.getByRole("list").getByRole("button").allInnerTexts()).includes(`${t.nextChip}×`));
      await fits("5-gone-on");

      // A promise, watched and cancelled.
      await p.box.fill(t.slow);
      await p.box.press("Enter");
      const promised = page.getByRole("region", { name: t.promised });
      await promised.waitFor();
      await promised.getByRole("progressbar", { name: t.progress }).waitFor();
      await promised.getByText(t.left).waitFor();
      await fits("6-promised");
      await promised.getByRole("button", { name: t.cancel }).click();
      await page.getByRole("heading", { name: t.cancelled }).waitFor();
      await fits("7-cancelled");
      await p.check();
    });
  }
}

test("hints in the boxes can be read whole on a phone, in every language", async () => {
  for (const locale of ["en-GB", "de-DE", "fr-FR", "es-ES", "pt-PT", "ja-JP"]) {
    const p = await open(browser, desks.de.url, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale });
    await p.page.goto(`${desks.de.url}/?q=Werkstattlampe`);
    await p.asked();
    const cut = await p.page.evaluate(() => [...document.querySelectorAll("input[placeholder]")].map((input) => {
      input.value = input.placeholder;
      return [input.placeholder, input.scrollWidth, input.clientWidth];
    }).filter(([, needs, has]) => needs > has));
    assert.deepEqual(cut, [], `in ${locale}`);
    await p.check();
  }
});
