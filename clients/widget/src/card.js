// A result as a card: a picture, its name, and the few facts by which people choose. Every text goes in as text.

import { make } from "../../../internal/ask/page/assets/cards.js";
import { figure, say } from "../../../internal/ask/page/assets/say.js";
import * as words from "../../../internal/ask/page/assets/words.js";

export const nameOf = (item) => words.text(item.name) || words.text(item.headline) || words.webAddress(item.url) || say("no_name");

// button is one that does something.
export function button(label, act) {
  const one = make("button", { type: "button", class: "quiet", part: "button" }, label);
  one.addEventListener("click", act);
  return one;
}

// chips offers questions to ask.
export const chips = (label, questions, ask) => questions.length > 0 &&
  make("ul", { class: "chips", part: "chips", "aria-label": label }, questions.map((words) => make("li", {}, button(words, () => ask(words)))));

// card draws one item.
export function card(item) {
  const address = words.webAddress(item.url), source = words.image(item.image), name = nameOf(item), licensed = item.isAccessibleForFree === false && !item.offers && !item.startDate;
  const img = source && make("img", { src: source, alt: "", loading: "lazy", referrerpolicy: "no-referrer" });
  img?.addEventListener("error", () => img.remove());
  const about = words.text(item.description) || words.text(item.abstract), all = facts(item, licensed);
  return make("li", { class: "card" }, img,
    make("div", {},
      make("strong", {}, address ? make("a", { href: address }, name) : name),
      about && make("p", { class: "description" }, about),
      all.length > 0 && make("p", { class: "facts" }, all)));
}

// facts are those of the kind that the item is of.
function facts(item, licensed) {
  const stars = words.rating(item.aggregateRating), time = words.duration(item.totalTime);
  const all = {
    price: words.price(item.offers), stock: item.startDate ? null : words.availability(item.offers),
    stars: stars && `★ ${figure(stars.value, 1)}`, when: words.when(item.startDate, item.endDate), place: words.place(item.location),
    time, day: item.startDate || item.offers || time ? null : words.day(item.datePublished), licensed: licensed && say("licensed"),
  };
  return Object.entries(all).filter(([, text]) => text).map(([kind, text]) =>
    make("span", { class: kind, ...(kind === "stars" && { role: "img", "aria-label": say("rated", figure(stars.value, 1), stars.best) }) }, text));
}

// summary draws the direct answer, with links for the numbers that stand for what it cites.
export function summary(item) {
  const cited = words.list(item.citation);
  const pieces = words.text(item.text).split(/(\[\d+\])/).map((piece) => {
    const to = /^\[\d+\]$/.test(piece) && words.webAddress(cited[piece.slice(1, -1) - 1]?.url);
    return to ? make("a", { href: to }, piece) : piece;
  });
  return make("div", { class: "answer" }, make("p", {}, pieces), item.extractive === false && make("p", { class: "quietly" }, say("abstractive")));
}
