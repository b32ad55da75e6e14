// The part of a longer text that answers a question, with the question's words marked.

import { make } from "./cards.js";
import { member, text } from "./words.js";

// passage shows the part of a longer text that answers the question, with the question's words marked.
export function passage(item, asked) {
  const whole = text(member(item.grounding).passage);
  const part = whole && snippet(whole, text(item.description), asked);
  return part ? make("blockquote", { class: "passage" }, mark(part, stems(asked))) : null;
}

// mark cuts a text at the words that begin like one of the question's, and marks those.
const mark = (text, stems) =>
  text.split(/([\p{L}\p{N}]+)/u).map((piece) => (fits(piece, stems) ? make("mark", {}, piece) : piece));

// Words of a question that say nothing of what it is about.
const small = new Set(("all and any are but can did for get had has her him his how its let may not now off one our out own see she the too two use was way who why you "
  + "about also because been before being between could does each else ever every from have here into just like many more most much need only other over please "
  + "should some such than that their them then there these they this those through very want were what when where which while will with without would your").split(" "));

// stems are the beginnings of a question's telling words, in lower case: "chickpeas" is "chickpe", "pans" is "pan".
export const stems = (question) =>
  [...new Set(question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) || [])].filter((word) => !small.has(word)).slice(0, 20)
    .map((word) => (word.length > 5 ? word.slice(0, -2) : word.length > 3 ? word.replace(/s$/, "") : word));

// fits tells whether a word of a text is one of the stems' words. A short stem fits short words alone: "tea" is in
// "teas", and not in "teapot".
export const fits = (word, beginnings) => {
  const lower = word.toLowerCase();
  return beginnings.some((stem) => lower.startsWith(stem) && (stem.length > 3 || lower.length <= stem.length + 2));
};

const hits = (sentence, beginnings) => {
  const all = sentence.match(/[\p{L}\p{N}]+/gu) || [];
  return beginnings.filter((stem) => all.some((word) => fits(word, [stem]))).length;
};

// snippet is the part of a longer text that begins with the sentence that has most of the question's words. What the
// description says already does not count; null when nothing is left that has any of the words.
export function snippet(longer, description, question) {
  const beginnings = stems(question);
  const sentences = longer.slice(0, 20000).match(/[^.!?]+(?:[.!?]+["'”’)\]]*\s*|$)/g) || [];
  let best = -1, most = 0;
  sentences.forEach((sentence, place) => {
    const n = description && description.includes(sentence.trim()) ? 0 : hits(sentence, beginnings);
    if (n > most) [best, most] = [place, n];
  });
  if (best < 0) return null;
  return (best > 0 ? "… " : "") + sentences.slice(best, best + 6).join("").trim();
}
