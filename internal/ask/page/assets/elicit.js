// The questions that the desk asks back (NLWeb 0.55, section 4.1.3), as a form.

import { make } from "./cards.js";
import { say } from "./say.js";
import { list, text } from "./words.js";

// Names that stand for something else in a query, and so are no answers.
const reserved = new Set(["text", "site", "itemType", "limit", "min_score", "__proto__"]);

// ask draws the questions. reply(answers) is called with the answers by the ids of their questions; who passes a
// question over has no preference.
export function ask(elicitation, reply) {
  const questions = list(elicitation.questions).filter((q) => q && text(q.id) && text(q.text) && !reserved.has(text(q.id))).slice(0, 20);
  const headline = make("h2", { tabindex: "-1", id: "asked-back" }, text(elicitation.text) || say("more_known"));
  const pass = make("button", { type: "button", class: "quiet" }, say("pass"));
  const form = make("form", { class: "notice back", "aria-labelledby": "asked-back" }, headline, questions.map(field),
    make("p", { class: "ways" }, make("button", { type: "submit", class: "quiet strong" }, say("reply")), pass));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    reply({ ...nothing(questions), ...replies(form, questions) });
  });
  form.addEventListener("change", exclude);
  pass.addEventListener("click", () => reply(nothing(questions)));
  return { form, headline: headline.textContent, count: questions.length, focus: () => headline.focus({ preventScroll: true }) };
}

// nothing passes all questions over. A question of yes or no is none to have no preference about.
const nothing = (questions) => Object.fromEntries(questions.filter((q) => q.type !== "boolean").map((q) => [text(q.id), say("no_preference")]));

// field draws one question by its type; one of an unknown type can be answered in words. The inputs are named by
// the question's place, since a name that the server chose could hide a method of the form.
function field(q, place) {
  const name = `answer-${place}`;
  const kind = { single_select: "radio", multi_select: "checkbox", boolean: "radio" }[q.type];
  if (kind) {
    const choices = q.type === "boolean" ? [["true", say("yes")], ["false", say("no")]] : list(q.options).map(String).slice(0, 50).map((o) => [o, o]);
    const preset = list(q.default).map(String);
    return make("fieldset", {}, make("legend", {}, text(q.text)), make("div", { class: "choices" },
      choices.map(([value, label]) => make("label", {}, make("input", { type: kind, name, value, checked: preset.includes(value) }), ` ${label}`))));
  }
  const number = q.type === "number" ? { type: "number", step: "any", inputmode: "decimal" } : { type: "text", maxlength: "500" };
  return make("label", { class: "line" }, text(q.text), make("input", { ...number, name, value: text(q.default), autocomplete: "off" }));
}

// exclude keeps "no preference" and the other choices of a question apart.
function exclude({ target }) {
  if (target.type !== "checkbox" || !target.checked) return;
  const others = [...target.form.querySelectorAll("input[type=checkbox]")].filter((box) => box.name === target.name && box !== target);
  const none = (box) => box.value === say("no_preference");
  for (const box of others) if (none(target) || none(box)) box.checked = false;
}

// replies are the answers that were given, by the question's id.
function replies(form, questions) {
  const given = new FormData(form), answers = {};
  for (const [place, q] of questions.entries()) {
    const values = given.getAll(`answer-${place}`).map((v) => v.trim()).filter((v) => v !== "");
    if (values.length === 0) continue;
    answers[text(q.id)] = q.type === "multi_select" ? values : q.type === "number" ? Number(values[0]) : q.type === "boolean" ? values[0] === "true" : values[0];
  }
  return answers;
}
