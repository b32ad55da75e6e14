// The page's own words, in the language in which the server drew it.

const desk = JSON.parse(document.getElementById("desk").textContent);

export const language = document.documentElement.lang || "en";

// say gives one of the page's texts, with its places filled in order.
export function say(name, ...args) {
  let next = 0;
  return String(desk.say?.[name] ?? name).replace(/%s/g, () => String(args[next++] ?? ""));
}

// thing is the word for a type of the vocabulary; null where there is none.
export const thing = (type) => (Object.hasOwn(desk.types || {}, type) ? desk.types[type] : null);

// figure is a number as the language writes it, with so many decimals.
export const figure = (n, decimals = 0) => n.toLocaleString(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

// count is "1 answer", "7 answers", "12,401 ratings".
export const count = (n, word) => say(`${word}_${n === 1 ? "one" : "other"}`, n.toLocaleString(language));
