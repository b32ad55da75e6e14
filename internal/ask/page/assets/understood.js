// What the desk understood of a question: chips that can be taken away, what was read otherwise or left out, and the
// order of the answers.

import { make } from "./cards.js";
import { say } from "./say.js";
import { list, member, text } from "./words.js";

// understood draws what a response's _meta says of its question. take(name) is to ask without a filter, spell() as it
// was written. It is null when there is nothing to tell.
export function understood(meta, { take, spell }) {
  const told = member(meta?.understood);
  const parts = [rewritten(told), chips(told, take), corrected(told, spell), relaxed(told), outcome(told)].filter(Boolean);
  return parts.length > 0 ? make("section", { class: "understood", "aria-label": say("understood") }, parts) : null;
}

const rewritten = (told) => (text(told.query) && make("p", { class: "read" }, say("read_as", text(told.query))));

// chips has one for each attribute: several conditions under one name go together, as they came. Those that gave way are struck out.
function chips(told, take) {
  const byName = new Map();
  for (const filter of list(told.filters).slice(0, 40)) {
    const name = text(filter?.name), words = text(filter?.text);
    if (name && words) byName.set(name, [...(byName.get(name) || []), words]);
  }
  const order = member(told.sort);
  if (text(order.text)) byName.set("sort", [text(order.text)]);
  if (byName.size === 0) return null;
  const left = new Set(list(told.relaxed).map((r) => text(r?.text)));
  return make("ul", { class: "chips", "aria-label": say("understood") }, [...byName].map(([name, words]) => {
    const label = words.join(" · ");
    const button = make("button", { type: "button", "aria-label": say("take_away", label) }, words.every((w) => left.has(w)) ? make("s", {}, label) : label, make("span", { "aria-hidden": "true" }, "×"));
    button.addEventListener("click", () => take(name));
    return make("li", {}, button);
  }));
}

function corrected(told, spell) {
  const words = list(told.corrected).filter((c) => text(c?.from) && text(c?.to));
  if (words.length === 0) return null;
  const all = (side) => words.map((c) => say("quoted", text(c[side]))).join(say("then"));
  const instead = make("button", { type: "button", class: "link" }, say("instead", all("from")));
  instead.addEventListener("click", spell);
  return make("p", { class: "told" }, say("read_as", all("to")), " ", instead);
}

function relaxed(told) {
  const left = list(told.relaxed).map((r) => text(r?.text)).filter(Boolean);
  return left.length > 0 && make("p", { class: "told" }, say("relaxed", left.join(say("then"))));
}

// outcome is that of a comparison, or the detail that was asked for.
const outcome = (told) => (text(told.answer) && make("p", { class: "outcome" }, text(told.answer)));

// The orders in which answers can be sorted, each with what an answer must have for it.
const orders = [
  ["sort_low", { by: "price", order: "ascending" }, (item) => item.offers],
  ["sort_high", { by: "price", order: "descending" }, (item) => item.offers],
  ["sort_rating", { by: "ratingValue", order: "descending" }, (item) => item.aggregateRating],
  ["sort_time", { by: "totalTime", order: "ascending" }, (item) => item.totalTime],
  ["sort_soon", { by: "startDate", order: "ascending" }, (item) => item.startDate],
  ["sort_newest", { by: "datePublished", order: "descending" }, (item) => item.datePublished],
];

// sorter lets people choose the order: those that at least half of the answers have what it takes for. choose(order)
// is called with one in words, such as "price ascending", or with "any" for by how well they fit.
export function sorter(items, meta, choose) {
  const now = member(member(meta?.understood).sort);
  const same = (order) => now.by === order.by && now.order === order.order;
  const offered = orders.filter(([, order, has]) => same(order) || (items.length > 1 && 2 * items.filter(has).length >= items.length));
  if (offered.length === 0) return null;
  const select = make("select", {},
    make("option", { value: "" }, say("sort_fit")),
    offered.map(([name, order], place) => make("option", { value: String(place + 1), selected: same(order) }, say(name))));
  select.addEventListener("change", () => {
    const order = select.value === "" ? null : offered[Number(select.value) - 1][1];
    choose(order ? `${order.by} ${order.order}` : "any");
  });
  return make("label", { class: "pick sort" }, make("span", {}, say("sort")), " ", select);
}
