// Reading schema.org values as they come (a string, a number, an object, a list of any of them) and putting them
// into words. Everything here returns plain text or null, and never markup.

import { figure, language, say, thing } from "./say.js";

// list makes a list of a value: nothing is none, one is one.
export const list = (v) => (Array.isArray(v) ? v : [v ?? []].flat());

// isObject tells an object from everything else, lists among it.
export const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

// text is the text of a value: a string or number itself, of an object its name, of a list its first text.
export function text(v) {
  for (const one of list(v).slice(0, 20)) {
    const all = isObject(one) ? [one.name, one["@value"], one.text, one.headline] : [typeof one === "number" ? String(one) : one];
    const found = all.find((x) => typeof x === "string" && x.trim());
    if (found) return found.trim();
  }
  return null;
}

// member is the first object of a value.
export const member = (v) => list(v).find(isObject) || {};

// webAddress is an absolute http(s) address, or null. Any other scheme is nothing that we would link to or load.
export function webAddress(v) {
  const url = typeof v === "string" && URL.canParse(v) && new URL(v);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

// image is the address of an item's picture.
export function image(v) {
  for (const one of list(v).slice(0, 20)) {
    const found = webAddress(typeof one === "string" ? one : one?.contentUrl) || webAddress(one?.url);
    if (found) return found;
  }
  return null;
}

// types are an item's types without the address of the vocabulary.
export const types = (item) => list(item["@type"]).filter((t) => typeof t === "string").map((t) => t.replace(/^.*[/#:]/, ""));

// typeWord turns "NewsArticle" into "News article". A type for which there is no word goes by its own name.
export function typeWord(type) {
  const known = thing(type);
  if (!known && language !== "en") return type;
  const words = known || type.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// duration turns an ISO 8601 duration into "1 h 15 min".
export function duration(v) {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/.exec(text(v) || "");
  if (!parts) return null;
  let [, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(Number).map((n) => n || 0);
  minutes += Math.round(seconds / 60);
  hours += Math.floor(minutes / 60); minutes %= 60;
  days += Math.floor(hours / 24); hours %= 24;
  const words = [days && say("days", days), hours && say("hours", hours), minutes && say("minutes", minutes)].filter(Boolean);
  return words.length > 0 ? words.join(language === "ja" ? "" : " ") : null;
}

// A date keeps the clock of its own place: an event at 19:30 is at 19:30 wherever it is read.
function wallClock(v) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?/.exec(text(v) || "");
  if (!parts) return null;
  const [, y, m, d, h, min] = parts.map(Number);
  const at = new Date(Date.UTC(y, m - 1, d, h || 0, min || 0));
  return at.getUTCMonth() === m - 1 ? { at, timed: parts[4] !== undefined } : null;
}

const format = (at, options) => new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { timeZone: "UTC", ...options }).format(at);
const dayOf = (at) => format(at, { day: "numeric", month: "long", year: "numeric" });
const weekdayOf = (at) => format(at, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
const clockOf = (at) => format(at, { hour: "2-digit", minute: "2-digit" });

// day turns a date into "9 March 2026".
export function day(v) {
  const found = wallClock(v);
  return found && dayOf(found.at);
}

// when turns the beginning and end of an event into "Sat 12 Dec 2026, 16:00–21:30".
export function when(start, end) {
  const from = wallClock(start), to = wallClock(end);
  if (!from) return null;
  const first = weekdayOf(from.at) + (from.timed ? `, ${clockOf(from.at)}` : "");
  if (!to || to.at <= from.at) return first;
  if (dayOf(from.at) === dayOf(to.at)) return to.timed ? `${first}–${clockOf(to.at)}` : first;
  return `${weekdayOf(from.at)} – ${weekdayOf(to.at)}`;
}

// money turns a price into words in its currency.
export function money(price, currency) {
  const amount = typeof price === "number" ? price : /^\s*\d+(\.\d+)?\s*$/.test(text(price) || "") ? Number(text(price)) : NaN;
  if (!Number.isFinite(amount)) return text(price);
  if (amount === 0) return say("free");
  try {
    const digits = Number.isInteger(amount) ? 0 : 2;
    return new Intl.NumberFormat(language, { style: "currency", currency: text(currency) || "", minimumFractionDigits: digits }).format(amount);
  } catch {
    return [String(amount), text(currency)].filter(Boolean).join(" "); // not a currency that the browser knows
  }
}

// price is what an item's offers ask.
export function price(offers) {
  const all = list(offers).filter((o) => o && typeof o === "object");
  const offer = all.find((o) => o.price !== undefined || o.lowPrice !== undefined) || member(member(offers).offers);
  const currency = offer.priceCurrency ?? member(offer.priceSpecification).priceCurrency;
  const from = offer.price ?? offer.lowPrice ?? member(offer.priceSpecification).price;
  if (from === undefined || from === null) return null;
  const low = money(from, currency);
  const high = offer.price === undefined && offer.highPrice !== undefined ? money(offer.highPrice, currency) : null;
  return high && high !== low ? `${low} – ${high}` : low;
}

const stocks = {
  InStock: "in_stock", InStoreOnly: "in_store", OnlineOnly: "online", LimitedAvailability: "few_left", PreOrder: "in_advance",
  PreSale: "presale", BackOrder: "back_order", MadeToOrder: "to_order", OutOfStock: "sold_out", SoldOut: "sold_out", Discontinued: "discontinued",
};

// stock is the vocabulary's name for how an item's offers are available.
export const stock = (offers) => (text(member(offers).availability) || "").replace(/^.*[/#:]/, "");

// availability puts it into words; null where there is no word.
export const availability = (offers) => (Object.hasOwn(stocks, stock(offers)) ? say(stocks[stock(offers)]) : null);

// rating is {value, best, count} when an item has a sensible one.
export function rating(v) {
  const r = member(v), value = Number(text(r.ratingValue)), best = Number(text(r.bestRating)) || 5;
  if (!(value > 0 && value <= best)) return null;
  return { value, best, count: Number(text(r.ratingCount) ?? text(r.reviewCount)) || 0 };
}

// diets turns the address of GlutenFreeDiet in the vocabulary into "gluten-free".
export const diets = (v) =>
  list(v).slice(0, 8).map((d) => (text(d) || "").replace(/^.*[/#:]/, "").replace(/Diet$/, "")).filter(Boolean)
    .map((name) => thing(`${name}Diet`) || name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase());

// place is a venue and its town.
export function place(v) {
  const p = member(v);
  const parts = [text(v), text(member(p.address).addressLocality)].filter(Boolean);
  return parts.length > 0 ? [...new Set(parts)].join(say("then")) : null;
}

// took is a time in milliseconds with as many digits as matter.
export const took = (ms) => (ms >= 1000 ? say("seconds", figure(ms / 1000, 1)) : `${figure(ms, ms >= 10 ? 0 : 1)} ms`);
