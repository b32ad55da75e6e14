// One question and what came of it.

import { button, card, chips, nameOf, summary } from "./card.js";
import { make } from "../../../internal/ask/page/assets/cards.js";
import { ask } from "../../../internal/ask/page/assets/elicit.js";
import { hintsFor } from "../../../internal/ask/page/assets/hints.js";
import { count, figure, say } from "../../../internal/ask/page/assets/say.js";
import { understood } from "../../../internal/ask/page/assets/understood.js";
import { list, text, webAddress } from "../../../internal/ask/page/assets/words.js";

// failures are what happened, by the code of a refusal.
const failures = {
  RATE_LIMITED: "busy", TOKEN_LIMIT: "long", TIMEOUT: "slow", UNAVAILABLE: "unready", UNREACHABLE: "unreachable", CANCELLED: "cancelled", CUT_OFF: "cut",
};

// turn draws a question, and takes the events of its answer. settings has the contact, the target of links, the
// examples, and own(item), the page's own drawing; on has go(question), stop(), status(text) and
// click(event, position, url, answerID).
export function turn(question, { contact, target, examples, own }, on) {
  const title = question.label || question.text;
  const reading = make("div"), answer = make("div"), cards = make("ol", { "aria-label": say("answers") }), after = make("div");
  const waiting = make("p", { class: "waiting" }, say("asking"));
  const section = make("section", { class: "turn", tabindex: "-1", "aria-label": title }, make("p", { class: "question" }, title), reading, answer, cards, after, waiting);
  const items = [], places = [];
  let told, written = "", said = "", answerID = null;
  const again = (attributes) => on.go({ ...question, attributes: { ...question.attributes, ...attributes } });

  // show fills a place of the turn, and says which parts are in it.
  const show = (place, ...children) => {
    place.replaceChildren(...children.filter(Boolean));
    dress();
  };
  const dress = () => {
    for (const one of section.querySelectorAll(".question,.answer,.card,.facts,.chips,img,button")) one.part = one.className.replace(/^(quiet|link)?$/, one.alt === "" ? "image" : "button");
    if (target) for (const link of section.querySelectorAll("a")) link.target = target;
  };
  const settle = () => {
    waiting.remove();
    show(after);
  };

  const notice = (headline, advice, ...more) => {
    on.status(`${headline}. ${advice || ""}`);
    return make("div", { class: "notice" }, make("p", {}, make("strong", {}, headline), " ", advice), more);
  };

  const draw = (item) => {
    const drawn = own(item);
    return drawn ? make("li", { class: "card" }, drawn) : card(item);
  };

  cards.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link) on.click(event, [...cards.children].indexOf(link.closest("li")) + 1, link.href, answerID);
  });

  // read shows what was understood, as chips that can be taken away.
  function read(meta) {
    answerID = meta.answer_id || answerID;
    const now = JSON.stringify(meta.understood);
    if (now === told) return;
    told = now;
    show(reading, understood(meta, { take: (name) => again({ [name]: "any" }), spell: () => again({ spelling: "exact" }) }));
  }

  const take = {
    start: ({ meta }) => read(meta),
    delta(event) {
      written += event.text;
      show(answer, summary({ text: written }));
    },
    summary({ item }) {
      said = text(item.text) || "";
      show(answer, said && summary(item));
    },
    item({ index, item }) {
      const n = places.filter((place) => place < index).length; // they may come in any order
      places.push(index);
      items.splice(n, 0, item);
      cards.insertBefore(draw(item), cards.children[n] || null);
      waiting.remove();
      dress();
    },
    // promise says how long the answer may still take: in words, and as a bar.
    promise({ message, progress, seconds, cancel }) {
      const words = text(message) || say("promised"), minutes = seconds >= 90;
      const left = seconds > 0 && say("left", say(minutes ? "minutes" : "seconds", figure(minutes ? seconds / 60 : seconds)));
      on.status(words);
      waiting.replaceChildren(make("span", {}, words, " ", left), button(say("cancel"), cancel));
      show(after, make("progress", { max: 1, value: progress, "aria-label": say("progress") }));
    },
    questions({ elicitation, meta }) {
      const asked = ask(elicitation, (answers) => on.go({
        ...question, label: Object.values(answers).flat().join(" · "), attributes: { ...question.attributes, ...answers }, session: meta.session_context || question.session,
      }));
      settle();
      show(after, asked.form);
      on.status(say("asked_back", figure(asked.count), asked.headline));
    },
    nothing({ meta }) {
      settle();
      read(meta);
      const closest = list(meta.closest).slice(0, 2), near = closest.length > 0 ? [make("strong", {}, say("closest")), make("ul", {}, closest.map(draw))] : [];
      show(after, notice(say("none"), say("none_try"), make("slot", { name: "empty" }), contact && make("p", {}, make("a", { href: contact[0] }, contact[1]))),
        ...near,
        chips(say("examples"), examples.slice(0, 3), (words) => on.go({ text: words })));
    },
    done({ meta, error }) {
      settle();
      read(meta);
      const outcome = reading.querySelector(".outcome");
      if (outcome?.textContent === said) outcome.remove();
      source();
      on.status([say("status", count(items.length, "count"), items[0] ? nameOf(items[0]) : ""), said].filter(Boolean).join(". "));
      show(after, error && notice(say("incomplete"), text(error.message) || say("cut"), button(say("again"), () => on.go(question))),
        chips(say("follow"), hintsFor(items), (words) => on.go({ text: words, session: meta.session_context })));
    },
  };

  // source says where the direct answer is taken from: the items that it names, or the first.
  function source() {
    const linked = items.filter((item) => webAddress(item.url)), named = linked.filter((item) => said.includes(nameOf(item)));
    const from = (named.length > 0 ? named : linked).slice(0, named.length > 0 ? 2 : 1);
    if (!said || answer.querySelector("a") || from.length === 0) return;
    answer.firstChild.append(make("p", { class: "quietly" }, say("source"), from.map((item, n) => [n ? " · " : " ", make("a", { href: item.url }, nameOf(item))]).flat()));
  }

  // fail says in a sentence what happened. It can be asked again, after as long as the desk wants.
  function fail({ code, message, retryAfter, status }) {
    const retry = button(say("again"), () => on.go(question));
    settle();
    show(after, notice(say(failures[code] || "failed"), message || (status > 299 ? `(${status})` : ""), retry));
    let left = Math.min(retryAfter || 0, 3600);
    const tick = () => {
      retry.disabled = left > 0;
      retry.textContent = left > 0 ? count(left, "wait") : say("again");
      if (left-- > 0 && section.isConnected) setTimeout(tick, 1000);
    };
    tick();
  }

  on.status(say("asking"));
  dress();
  return {
    section, fail, count: () => items.length, take: (event) => take[event.type](event),
    late() {
      if (!waiting.isConnected || waiting.firstElementChild) return;
      waiting.replaceChildren(make("span", {}, say("still")), button(say("cancel"), on.stop));
      on.status(say("still"));
    },
  };
}
