// What is brought when it is first needed: the questions that the desk asks back, as a form, and how far an answer is
// that takes long; with their style.

import css from "../../../internal/ask/widget/dist/later.css";
import { make } from "../../../internal/ask/page/assets/cards.js";
import { figure, say } from "../../../internal/ask/page/assets/say.js";

export { ask } from "../../../internal/ask/page/assets/elicit.js";
export { speak } from "../../../internal/ask/page/assets/say.js";

export const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

// progress says how long an answer may still take: in words, and as a bar.
export function progress({ progress, seconds }, words) {
  const minutes = seconds >= 90;
  const left = seconds > 0 && say("left", say(minutes ? "minutes" : "seconds", figure(minutes ? seconds / 60 : seconds)));
  return [make("span", {}, words, " ", left), make("progress", { max: 1, value: progress, "aria-label": say("progress") })];
}
