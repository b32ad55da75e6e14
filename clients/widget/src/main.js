// The rest of <frontdesk-ask>: the panel in which people ask, and one turn of the conversation for each question.

import { createDesk } from "./core.js";
import { chips } from "./card.js";
import { keeper } from "./history.js";
import { turn } from "./turn.js";
import { make } from "../../../internal/ask/page/assets/cards.js";
import { say, speak } from "../../../internal/ask/page/assets/say.js";
import sheet from "../../../internal/ask/widget/dist/style.css";

let style;

// The desk sends its words without their names, each at a place that is made of its name: as words in
// internal/ask/widget has it.
const place = (name) => [...name].reduce((n, c) => (n * 324 + c.charCodeAt()) % 347, 0);

const spelled = ({ say }) => {
  const texts = say.split("|");
  return { say: new Proxy(texts, { get: (_, name) => texts[place(name)] }) };
};

// build draws the panel into an element and gives what can be done with it. words are those of the desk.
export function build(host, words) {
  const all = spelled(words), spoken = () => speak(all, words.language);
  spoken();
  const mode = host.getAttribute("mode"), box = mode === "searchbox" || mode === "modal"; // of which the answer replaces the one before
  const desk = createDesk(host.getAttribute("src") || host.desk);
  const history = keeper(host.getAttribute("history") === "off" ? null : desk.src);
  const tell = (name, detail, cancelable = false) =>
    host.dispatchEvent(new CustomEvent(`frontdesk-${name}`, { detail, cancelable, bubbles: true, composed: true }));

  const log = make("div", { class: "log", part: "log" }), live = make("p", { class: "unseen", role: "status" });
  const input = make("input", { type: "search", name: "q", part: "input", autocomplete: "off", maxlength: 4000, required: true,
    placeholder: say("placeholder"), "aria-label": say("question") });
  const form = make("form", { class: "form" }, input, make("button", { class: "send", part: "button", type: "submit" }, say("ask")));
  const foot = make("p", { class: "foot" }, make("slot", { name: "footer" }, say("foot")));
  const dialog = mode === "launcher" || mode === "modal" ? make("dialog", { part: "dialog", "aria-labelledby": "title" }) : null;
  const close = make("button", { class: "close", part: "button", type: "button", "aria-label": say("close") }, "×");
  const title = make("h2", { id: "title" }, host.label || say("headline"));
  const header = dialog ? make("header", { part: "header" }, make("slot", { name: "header" }, title), close) : null;
  const order = box ? [header, form, log, live, foot] : [header, log, live, form, foot];
  const panel = make("div", { class: "panel", part: "panel", lang: words.language, ...(!dialog && { role: "region", "aria-label": say("headline") }) }, order);

  // What the owner offers to begin with: of the element, or of the desk.
  const examples = host.getAttribute("examples")?.split("|").map((one) => one.trim()).filter(Boolean) || words.examples || [];
  const contact = host.getAttribute("empty-href") || words.contact;
  const about = {
    contact: contact && [contact, host.getAttribute("empty-text") || say("contact")], target: host.getAttribute("target"), examples,
    own: (item) => host.card?.(item),
  };

  let turns = [], current = null;
  const status = (text) => { live.textContent = text; };

  // go asks a question: {text, attributes, session, label}. label is what is shown of it, where that is something else.
  async function go(question) {
    spoken();
    current?.abort();
    const control = (current = new AbortController());
    if (box) clear();
    log.querySelector(".back")?.remove(); // what was asked back before is not of this question
    start.hidden = true;
    const drawn = draw(question, () => { control.abort(); });
    const kept = { question, events: [], session: question.session };
    turns.push(kept);
    if (host.shadowRoot.activeElement === null) drawn.section.focus({ preventScroll: true }); // the chip that was pressed is gone
    tell("ask", { text: question.text });
    const options = {
      site: host.getAttribute("site"), type: host.getAttribute("type"), limit: Number(host.getAttribute("limit")) || 4,
      summary: host.getAttribute("summary") !== "off", language: words.language, ...question, signal: control.signal,
    };
    const late = setTimeout(() => { spoken(); drawn.late(); }, 1500);
    try {
      const { text } = question;
      for await (const event of desk.ask(text, options)) {
        spoken();
        kept.events.push(event);
        drawn.take(event);
        hold(drawn);
        const { type, meta } = event;
        kept.session = meta?.session_context || kept.session;
        if (type === "nothing") tell(type, { text });
        if (type === "done" || type === "questions") tell("answer", { text, count: drawn.count(), kind: meta.understood?.intent || type });
      }
      history.keep(turns);
    } catch (failure) {
      turns.splice(turns.indexOf(kept), 1);
      spoken();
      const stopped = failure.name === "AbortError";
      drawn.fail(stopped ? { code: "CANCELLED" } : failure);
      if (!stopped) tell("error", { code: failure.code, message: failure.message });
    } finally {
      clearTimeout(late);
      if (current === control) current = null;
    }
  }

  // hold keeps a question at the top while its answer comes, until somebody scrolls elsewhere.
  let place = null;
  function hold({ section }) {
    if (place === null || log.scrollTop === place) log.scrollTop = section.offsetTop - log.offsetTop - 16;
    place = log.scrollTop;
  }

  // draw begins a turn.
  function draw(question, stop) {
    const drawn = turn(question, about, {
      go, stop, status,
      click(event, position, url, answerID) {
        if (!tell("click", { url, position }, true)) event.preventDefault();
        desk.follow(answerID, position);
      },
    });
    log.append(drawn.section);
    place = null;
    hold(drawn);
    return drawn;
  }

  const start = chips(say("examples"), examples.slice(0, 6), (words) => ask(words)) || make("p");
  function clear() {
    for (const section of log.querySelectorAll(".turn")) section.remove();
    turns = [];
  }

  const ask = (text) => go({ text: text.trim(), session: box ? null : turns.at(-1)?.session });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    if (!box) input.value = "";
    ask(text);
  });
  close.addEventListener("click", () => dialog.close());
  dialog?.addEventListener("close", () => tell("close"));
  dialog?.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // beside the panel

  start.hidden = examples.length === 0;
  log.append(start);
  for (const kept of history.kept()) {
    if (box) break; // which begins empty
    kept.events.forEach(draw(kept.question, () => {}).take);
    turns.push(kept);
    start.hidden = true;
  }
  live.textContent = ""; // of what is only shown again
  if (!style) (style = new CSSStyleSheet()).replaceSync(sheet);
  host.shadowRoot.adoptedStyleSheets.push(style);
  if (dialog) {
    dialog.append(panel);
    host.shadowRoot.append(dialog);
  } else {
    host.shadowRoot.replaceChildren(panel);
  }

  return {
    ask,
    open() {
      if (!dialog) return input.focus();
      if (dialog.open) return;
      dialog.showModal();
      input.focus();
      log.scrollTop = log.scrollHeight;
      tell("open");
    },
    close() { dialog?.close(); },
    reset() {
      current?.abort();
      clear();
      history.keep([]);
      start.hidden = examples.length === 0;
      input.value = "";
    },
  };
}
