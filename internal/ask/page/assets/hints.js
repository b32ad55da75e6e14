// Questions that go on from an answer.

import { say } from "./say.js";
import { stock } from "./words.js";

// hints are ways to go on from answers, each with what half of them must have for it.
const hints = [
  [() => say("hint_price"), (item) => item.offers],
  [() => say("hint_rating"), (item) => item.aggregateRating],
  [() => say("hint_stock"), (item) => item.offers && !/^(In|Online|$)/.test(stock(item.offers))],
  [() => say("hint_time"), (item) => item.totalTime],
  [() => say("hint_date"), (item) => item.startDate],
  [() => say("hint_newest"), (item) => item.datePublished && !item.startDate],
];

// hintsFor are up to three questions that go on from the answers to a question.
export function hintsFor(items) {
  if (items.length < 2) return [];
  return hints.filter(([, has]) => 2 * items.filter(has).length >= items.length).slice(0, 3).map(([words]) => words());
}
