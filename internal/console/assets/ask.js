// The page's behaviour: a question goes out, answers are put in their places as they arrive. The address of the page
// always names the question, so that links, reload, back and forward work.

import { ask, Refusal } from "./stream.js";
import { card, isSummary, make, note } from "./cards.js";
import { count, list, text, took } from "./words.js";

const desk = JSON.parse(document.getElementById("desk").textContent);
const at = (id) => document.getElementById(id);
const form = at("form"), box = at("q"), cards = at("cards"), after = at("after"), raw = at("raw"), rawToggle = at("raw-toggle");
const names = new Map(list(desk.sites).map((site) => [site.id, site.name || site.id]));
const firstLimit = 10, step = 10, lastLimit = 100;

let current = null; // the AbortController of the question under way
let session = null; // what the server asked to be sent along (section 4, session_context)
let shown = null; // the request and response that the raw panel shows

// ---- from the form to a question and back

// A question is what the page's address says: text, site, type, summary. Answers are those given to the desk's own
// questions, which go along once and are not part of the address.
const asked = () => ({
  text: box.value.trim(),
  site: form.elements.site?.value || "",
  type: form.elements.type?.value || "",
  summary: form.elements.summary.checked,
});

function fill(question) {
  box.value = question.text;
  for (const name of ["site", "type"]) {
    const pick = form.elements[name];
    if (pick) pick.value = [...pick.options].some((o) => o.value === question[name]) ? question[name] : "";
  }
  form.elements.summary.checked = question.summary;
}

const fromAddress = () => {
  const q = new URLSearchParams(location.search);
  return { text: (q.get("q") || "").trim(), site: q.get("site") || "", type: q.get("type") || "", summary: q.get("summary") === "1" };
};

const address = (question) => {
  const q = new URLSearchParams();
  if (question.text) q.set("q", question.text);
  if (question.site) q.set("site", question.site);
  if (question.type) q.set("type", question.type);
  if (question.summary) q.set("summary", "1");
  const search = q.toString();
  return location.pathname + (search ? `?${search}` : "");
};

// body is the request of NLWeb 0.55, section 3; limit is an extension of this server.
function body(question, limit, answers) {
  const request = {
    query: { text: question.text, ...(question.site && { site: question.site }), ...(question.type && { itemType: question.type }), limit, ...answers },
    prefer: { streaming: true, mode: question.summary ? "list, summarize" : "list" },
    meta: { version: "0.55" },
  };
  if (session) request.meta.session_context = session;
  return request;
}

// ---- asking

async function run(question, { limit = firstLimit, answers = {} } = {}) {
  current?.abort();
  const control = (current = new AbortController());
  const request = body(question, limit, answers);
  const started = performance.now();
  const page = begin(question, request);
  try {
    const whole = await ask(desk.ask, request, {
      signal: control.signal,
      on: { result: (index, item) => page.put(index, item), text: (piece) => { shown.response += piece; } },
    });
    if (current !== control) return;
    session = whole._meta?.session_context || session;
    page.finish(whole, performance.now() - started, limit);
  } catch (failure) {
    if (current !== control || failure.name === "AbortError") return;
    page.fail(failure instanceof Refusal ? failure : new Refusal("UNREACHABLE", "", 0));
  } finally {
    if (current === control) {
      current = null;
      document.body.classList.remove("asking");
      at("status").removeAttribute("aria-busy");
      if (!raw.hidden) drawRaw();
    }
  }
}

// begin clears the page for the answers to a question and returns what can be done with them.
function begin(question, request) {
  document.body.classList.add("asked", "asking");
  document.body.classList.remove("empty");
  document.title = `${question.text} · ${desk.title}`;
  at("bar").hidden = false;
  at("note").replaceChildren();
  after.replaceChildren();
  cards.replaceChildren();
  at("status").setAttribute("aria-busy", "true"); // so that the end is read out, and not every step
  say("Asking…");
  shown = { request, response: "" };
  if (!raw.hidden) drawRaw();
  const places = []; // the indexes of the cards on the page, in order
  const context = { siteName: (id) => (id === null ? null : names.get(id) || id), asked: question.text };

  return {
    // put draws an item at its place: results may arrive in any order (section 6.1).
    put(index, item) {
      if (isSummary(item)) {
        at("note").replaceChildren(...[note(item)].filter(Boolean));
        return;
      }
      let n = places.length;
      while (n > 0 && places[n - 1] > index) n--;
      if (places[n - 1] === index) return; // a place that is taken already
      places.splice(n, 0, index);
      cards.insertBefore(card(item, context), cards.children[n] || null);
      say(`${count(places.length, "answer")} so far…`);
    },
    finish(whole, elapsed, limit) {
      if (whole.elicitation) return askBack(question, whole.elicitation);
      if (whole.promise) return say(text(whole.promise.message) || "The desk is still at work on this. Ask again in a little while.");
      const time = Number(whole._meta?.processing_time_ms);
      const parts = [count(places.length, "answer"), time >= 0 ? `${took(time)} at the desk` : null, `${took(elapsed)} in all`];
      say(parts.filter(Boolean).join(" · "));
      if (whole.error) after.append(notice("The answer is not complete", text(whole.error.message), again(question, limit)));
      else if (places.length >= limit && limit < lastLimit) after.append(more(question, limit));
    },
    fail(refusal) {
      cards.replaceChildren();
      const [headline, advice] = explain(refusal);
      const none = refusal.code === "NO_RESULTS";
      document.body.classList.toggle("empty", none); // which brings the examples back
      say(none ? "No answers" : "No answer");
      after.append(notice(headline, advice, ...ways(refusal, question)));
    },
  };
}

const say = (words) => { at("status").textContent = words; };

// ---- when there is no answer

// explain puts a failure into words: what happened, and what to do.
function explain({ code, message, retryAfter }) {
  const wait = retryAfter ? `Try again in ${count(retryAfter, "second")}.` : "Wait a moment and try again.";
  switch (code) {
    case "NO_RESULTS": return ["Nothing here answers that", message || "Try other words."];
    case "RATE_LIMITED": return ["Too many questions at once", wait];
    case "TOKEN_LIMIT": return ["That question is too long", message || "Ask it in fewer words."];
    case "TIMEOUT": return ["That took too long", message || "Try again, or ask it in fewer words."];
    case "UNAVAILABLE": return ["The desk is not ready yet", [message, retryAfter ? wait : ""].filter(Boolean).join(" ")];
    case "UNREACHABLE": return ["The desk cannot be reached", "The server did not answer. Check the connection and try again."];
    case "CUT_OFF": return ["The answer was cut off", "Try again."];
    default: return ["The desk could not answer", [message, `(${code})`].filter(Boolean).join(" ")];
  }
}

// ways are the buttons that lead on from a failure.
function ways({ code }, question) {
  if (code !== "NO_RESULTS") return [again(question, firstLimit)];
  const wider = [];
  if (question.site) wider.push(button("Ask every site", () => go({ ...question, site: "" })));
  if (question.type) wider.push(button("Look for anything", () => go({ ...question, type: "" })));
  return wider;
}

const notice = (headline, advice, ...buttons) =>
  make("section", { class: "notice", "aria-label": headline }, make("h2", {}, headline), advice ? make("p", {}, advice) : null, buttons);

function button(label, act) {
  const element = make("button", { type: "button", class: "quiet" }, label);
  element.addEventListener("click", act);
  return element;
}

const again = (question, limit) => button("Try again", () => run(question, { limit }));
const more = (question, limit) => button("Show more", () => run(question, { limit: Math.min(limit + step, lastLimit) }));

// ---- when the desk asks back (section 4.1.3)

function askBack(question, elicitation) {
  const questions = list(elicitation.questions).filter((q) => q && text(q.id) && text(q.text));
  const headline = text(elicitation.text) || "The desk would like to know a little more.";
  say(headline);
  const fields = questions.map(field);
  const reply = make("form", { class: "notice" }, make("h2", {}, headline), fields, make("button", { type: "submit", class: "quiet" }, "Answer"));
  reply.addEventListener("submit", (event) => {
    event.preventDefault();
    run(question, { answers: replies(reply, questions) });
  });
  after.append(reply);
}

// field draws one question by its type; one of an unknown type can be answered in words. The inputs are named by
// the question's place, since a name that the server chose could hide a method of the form.
function field(q, place) {
  const id = `answer-${place}`, choices = list(q.options).map(String).slice(0, 50);
  const kind = { single_select: "radio", multi_select: "checkbox" }[q.type];
  if (q.type === "boolean") return field({ ...q, type: "single_select", options: ["yes", "no"] }, place);
  if (kind) {
    const preset = list(q.default).map(String);
    return make("fieldset", {}, make("legend", {}, text(q.text)),
      choices.map((c) => make("label", {}, make("input", { type: kind, name: id, value: c, checked: preset.includes(c) }), ` ${c}`)));
  }
  const input = make("input", { type: q.type === "number" ? "number" : "text", name: id, value: text(q.default), step: "any" });
  return make("label", { class: "line" }, text(q.text), input);
}

// replies are the answers by the question's id; reserved names of the query stay what they are.
function replies(reply, questions) {
  const given = new FormData(reply), answers = {};
  for (const [place, q] of questions.entries()) {
    const id = text(q.id), values = given.getAll(`answer-${place}`).filter((v) => v !== "");
    if (values.length === 0 || ["text", "site", "itemType", "limit", "__proto__"].includes(id)) continue;
    answers[id] = q.type === "multi_select" ? values : q.type === "number" ? Number(values[0]) : q.type === "boolean" ? values[0] === "yes" : values[0];
  }
  return answers;
}

// ---- the request and response themselves

function drawRaw() {
  raw.replaceChildren();
  if (!shown) return;
  const endpoint = new URL(desk.ask, location.href).href;
  const quote = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
  const curl = `curl -N ${quote(endpoint)} -H 'Content-Type: application/json' \\\n  -d ${quote(JSON.stringify(shown.request))}`;
  const block = (title, code) => {
    const copy = button("Copy", async () => {
      try { await navigator.clipboard.writeText(code); copy.textContent = "Copied"; } catch { getSelection().selectAllChildren(pre); copy.textContent = "Selected"; }
      setTimeout(() => { copy.textContent = "Copy"; }, 1600);
    });
    const pre = make("pre", { class: "code", tabindex: "0", "aria-label": title }, code);
    return make("div", { class: "block" }, make("h2", {}, title), copy, pre);
  };
  raw.append(block("As a command", curl), block("Request", JSON.stringify(shown.request, null, 2)), block("Response", pretty(shown.response)));
}

// pretty sets the response's JSON on lines of its own, whether it is one object or events; else it stays as it is.
function pretty(response) {
  const indented = (json) => { try { return JSON.stringify(JSON.parse(json), null, 2); } catch { return json; } };
  if (!/^(event|data):/m.test(response)) return indented(response);
  return response.replace(/^data: ?(.*)$/gm, (_, json) => `data: ${indented(json)}`).trim();
}

rawToggle.addEventListener("click", () => {
  raw.hidden = !raw.hidden;
  rawToggle.setAttribute("aria-expanded", String(!raw.hidden));
  if (!raw.hidden) drawRaw();
});

// ---- getting about

// go asks a question and gives it an entry in the history.
function go(question) {
  fill(question);
  if (!question.text) return;
  const target = address(question);
  if (target !== location.pathname + location.search) history.pushState(null, "", target);
  run(question);
}

// arrive shows what the address says: answers to its question, or the beginning.
function arrive() {
  const question = fromAddress();
  fill(question);
  if (question.text) return run(question);
  current?.abort();
  current = null;
  document.body.classList.remove("asked", "asking", "empty");
  document.title = desk.title;
  at("bar").hidden = true;
  raw.hidden = true;
  rawToggle.setAttribute("aria-expanded", "false");
  for (const id of ["note", "cards", "after", "raw"]) at(id).replaceChildren();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  go(asked());
});

// A change of site, type or mode asks the same question again.
form.addEventListener("change", (event) => {
  if (event.target !== box && document.body.classList.contains("asked") && asked().text) go(asked());
});

at("examples")?.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go({ ...asked(), text: link.textContent, site: "", type: "" });
  box.focus({ preventScroll: true });
  scrollTo({ top: 0 });
});

addEventListener("popstate", arrive);

// "/" leads to the box from anywhere; the arrows (or j and k) lead from card to card.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input:not([type=checkbox], [type=radio]), select, textarea, pre");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    box.focus();
    box.select();
    return;
  }
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (!step || (typing && !(event.target === box && event.key === "ArrowDown"))) return;
  const links = [...cards.querySelectorAll("h3 a")];
  const here = links.indexOf(document.activeElement);
  if (links.length === 0 || (here < 0 && event.target !== box && event.target !== document.body)) return;
  const next = here + step;
  event.preventDefault();
  if (next < 0) box.focus();
  else links[Math.min(next, links.length - 1)].focus();
});

arrive();
