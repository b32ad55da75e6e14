// Drawing answers. Every text goes in as text; nothing of an item is ever read as markup.

import { count, figure, language, say } from "./say.js";
import * as words from "./words.js";

// make makes an element with attributes and children; strings become text, what is empty is left out.
export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if ((value ?? false) !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child || child === 0));
  return element;
}

// card draws one item. siteName gives the name of a site by its ID, passage draws the part of a text that answers the
// question; there may be neither.
export function card(item, { siteName, passage } = {}) {
  const address = words.webAddress(item.url);
  const name = words.text(item.name) || words.text(item.headline) || words.text(item.title) || address || say("no_name");
  const licensed = isNotice(item);
  const body = make("div", { class: "body" },
    eyebrow(item, siteName, licensed),
    make("h3", {}, address ? make("a", { href: address, rel: "noopener" }, name) : name),
    description(item, licensed),
    licensed ? null : passage?.(item),
    facts(item),
    tags(item));
  return make("li", { class: "card" }, picture(item), body);
}

// isNotice tells a licensed item, of which the desk shows these members and no others, from an item that says of
// itself that it is not free, such as a concert.
const noticeMembers = new Set(["@type", "url", "name", "image", "datePublished", "dateModified", "publisher", "description", "isAccessibleForFree", "site", "score", "grounding", "actions"]);
const isNotice = (item) => item.isAccessibleForFree === false && Object.keys(item).every((key) => noticeMembers.has(key));

function eyebrow(item, siteName, licensed) {
  const type = words.types(item)[0];
  const site = siteName?.(words.text(item.site)) || words.text(item.publisher);
  return make("p", { class: "eyebrow" },
    make("span", {}, words.typeWord(type || "Thing")),
    site ? make("span", {}, site) : null,
    licensed ? make("strong", { class: "licensed", title: say("licensed_title") }, say("licensed")) : null,
    score(item));
}

function description(item, licensed) {
  const text = words.text(item.description) || words.text(item.abstract);
  if (!text) return null;
  return licensed ? make("blockquote", { class: "excerpt" }, text) : make("p", { class: "description" }, text);
}

// facts is the line of figures; which there are depends on the item alone.
function facts(item) {
  const stars = words.rating(item.aggregateRating);
  const stock = words.availability(item.offers);
  const time = words.duration(item.totalTime) || words.duration(item.cookTime);
  const all = [
    fact("price", words.price(item.offers)),
    stock && !item.startDate ? make("li", { class: `stock ${mood(item.offers)}` }, stock) : null,
    fact("when", words.when(item.startDate, item.endDate)),
    fact("place", words.place(item.location)),
    fact("time", time, time && say("takes", time)),
    stars ? rating(stars) : null,
    fact("yield", words.text(item.recipeYield)),
    fact("calories", words.text(words.member(item.nutrition).calories)),
    fact("brand", words.text(item.brand)),
    fact("byline", byline(item)),
  ].filter(Boolean);
  return all.length > 0 ? make("ul", { class: "facts" }, all) : null;
}

// mood is how good it is for a buyer.
const mood = (offers) => (/^(In|Online)/.test(words.stock(offers)) ? "good" : /^(Out|Sold|Disc)/.test(words.stock(offers)) ? "none" : "fair");

// byline says who wrote it and when.
function byline(item) {
  const author = words.text(item.author), date = item.startDate ? null : words.day(item.datePublished);
  return [author && say("by", author), date].filter(Boolean).join(say("then"));
}

const fact = (kind, text, label) => (text ? make("li", { class: kind, title: label }, text) : null);

function rating({ value, best, count: raters }) {
  const shown = figure(value, 1);
  const label = [say("rated", shown, best), raters ? count(raters, "ratings") : ""].filter(Boolean).join(say("then"));
  return make("li", { class: "rating" },
    make("span", { "aria-hidden": "true" }, make("b", {}, "★"), ` ${shown}`, raters ? ` (${raters.toLocaleString(language)})` : ""),
    make("span", { class: "unseen" }, label));
}

function tags(item) {
  const all = words.diets(item.suitableForDiet);
  return all.length > 0 ? make("ul", { class: "tags", "aria-label": say("suitable") }, all.map((diet) => make("li", {}, diet))) : null;
}

function picture(item) {
  const source = words.image(item.image);
  if (!source) return null;
  const img = make("img", { src: source, alt: "", loading: "lazy", decoding: "async", referrerpolicy: "no-referrer" });
  const figure = make("div", { class: "picture" }, img);
  img.addEventListener("error", () => figure.remove());
  return figure;
}

// score is how well the item fits, as a short bar; the figure is there for those who ask for it.
function score(item) {
  const value = Number(item.score);
  if (!(value >= 0 && value <= 100)) return null;
  return make("meter", { class: "score", min: 0, max: 100, value, title: say("fits", Math.round(value)), "aria-label": say("fits", Math.round(value)) });
}

// note draws a summary.
export function note(item) {
  const text = words.text(item.text);
  if (!text) return null;
  const origin = item.extractive === true ? say("extractive") : item.extractive === false ? say("abstractive") : null;
  return make("section", { class: "note", "aria-label": say("summary_name") },
    make("h2", {}, say("in_short")), make("p", {}, ...cite(text, item.citation)), origin ? make("p", { class: "origin" }, origin) : null);
}

// cite makes links of the numbers in a text that stand for what it cites: [1] is the first.
function cite(text, citation) {
  const cited = Array.isArray(citation) ? citation.map(words.member) : [];
  return text.split(/(\[\d+\])/).map((part) => {
    const to = /^\[\d+\]$/.test(part) ? cited[Number(part.slice(1, -1)) - 1] : null;
    const address = to && words.webAddress(to.url);
    return address ? make("a", { href: address, rel: "noopener", "aria-label": words.text(to.name) || address }, part) : part;
  });
}

// isSummary tells a summary from an answer.
export const isSummary = (item) => words.types(item).includes("SearchSummary");
