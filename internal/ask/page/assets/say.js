// Our own words, in the language of who asks. The page and the widget say in speak which these are.

let words = {};

export let language = "en";

// speak sets the words, {say, types}, and the language that they are in.
export function speak(all, tag) {
  words = all;
  language = tag;
}

// say gives one of the texts, with its places filled in order.
export function say(name, ...args) {
  let next = 0;
  return String(words.say?.[name] ?? name).replace(/%s/g, () => String(args[next++] ?? ""));
}

// thing is the word for a type of the vocabulary; null where there is none.
export const thing = (type) => (Object.hasOwn(words.types || {}, type) ? words.types[type] : null);

// figure is a number as the language writes it, with so many decimals.
export const figure = (n, decimals = 0) => n.toLocaleString(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

// count is "1 answer", "7 answers", "12,401 ratings".
export const count = (n, word) => say(`${word}_${n === 1 ? "one" : "other"}`, n.toLocaleString(language));
