// The page's behaviour: a question goes out, answers are put in their places as they arrive, and what was understood is
// told, so that it can be taken away, or gone on from. The address of the page always names the question, so that links,
// reload, back and forward work.

import { ask, Refusal } from "./stream.js";
import { card, isSummary, make, note } from "./cards.js";
import { ask as askBack } from "./elicit.js";
import { passage } from "./passage.js";
import { awaited } from "./promise.js";
import { hintsFor } from "./hints.js";
import { count, language, say, speak } from "./say.js";
import { sorter, understood } from "./understood.js";
import { list, member, text, took } from "./words.js";

const desk = JSON.parse(document.getElementById("desk").textContent);
speak(desk, document.documentElement.lang || "en");
const at = (id) => document.getElementById(id);
const form = at("form"), box = at("q"), cards = at("cards"), after = at("after"), raw = at("raw"), rawToggle = at("raw-toggle");
const names = new Map(list(desk.sites).map((site) => [site.id, site.name || site.id]));
const firstLimit = 10, step = 10, lastLimit = 100;

let current = null; // the AbortController of the question under way
let asking = null; // the question that the page shows
let shown = null; // the request and response that the raw panel shows

// ---- from the form to a question and back

// A question is what the page's address says: text, site, type, summary; the attributes that go with it, which are answers
// to the desk's own questions and what was taken away; and the questions before it that it goes on from. Its session is
// what the desk wants sent along (section 3.4); it stays in the history and is not part of the address.
const fresh = (text) => ({ text, ...picked(), attributes: {}, prev: [], session: null });

const picked = () => ({
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

function fromAddress() {
  const q = new URLSearchParams(location.search);
  return {
    text: (q.get("q") || "").trim(), site: q.get("site") || "", type: q.get("type") || "", summary: q.get("summary") === "1",
    attributes: object(q.get("with")), prev: q.getAll("prev").slice(-maxPrev), session: history.state?.session || null,
  };
}

const maxPrev = 12;

// object reads an object of attributes; anything else is none.
function object(json) {
  try { return member(JSON.parse(json || "{}")); } catch { return {}; }
}

function address(question) {
  const q = new URLSearchParams();
  if (question.text) q.set("q", question.text);
  if (question.site) q.set("site", question.site);
  if (question.type) q.set("type", question.type);
  if (question.summary) q.set("summary", "1");
  if (Object.keys(question.attributes).length > 0) q.set("with", JSON.stringify(question.attributes));
  for (const earlier of question.prev) q.append("prev", earlier);
  const search = q.toString();
  return location.pathname + (search ? `?${search}` : "");
}

// body is the request of NLWeb 0.55, section 3; limit is an extension of this server.
function body(question, limit) {
  const request = {
    query: { ...question.attributes, text: question.text, ...(question.site && { site: question.site }), ...(question.type && { itemType: question.type }), limit },
    prefer: { streaming: true, mode: question.summary ? "list, summarize" : "list", ...(question.summary && { deltas: true }), "accept-language": language },
    meta: { version: "0.55" },
  };
  if (question.prev.length > 0) request.context = { prev: question.prev };
  if (question.session) request.meta.session_context = question.session;
  return request;
}

// ---- asking

async function run(question, { limit = firstLimit } = {}) {
  current?.abort();
  const control = (current = new AbortController());
  asking = question;
  const request = body(question, limit);
  const started = performance.now();
  const page = begin(question, request);
  try {
    const on = { meta: page.tell, result: (index, item) => page.put(index, item), delta: page.write, text: (piece) => { shown.response += piece; } };
    let whole = await ask(desk.ask, request, { signal: control.signal, on });
    if (whole.promise) {
      status(say("promised"));
      const later = { ...on, text: (piece) => { shown.response = piece; } }; // the answer itself, and not each look
      whole = await awaited(whole, { address: desk.ask.replace(/ask$/, "await"), ask, place: after, signal: control.signal, on: later });
    }
    if (current !== control) return;
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
  for (const id of ["thread", "understood", "note", "cards", "after"]) at(id).replaceChildren();
  at("thread").append(...thread(question));
  at("status").setAttribute("aria-busy", "true"); // so that the end is read out, and not every step
  status(say("asking"));
  answered = null;
  shown = { request, response: "" };
  if (!raw.hidden) drawRaw();
  const places = [], items = []; // the indexes of the cards on the page, in order, and what is on them
  const context = { siteName: (id) => (id === null || names.size < 2 ? null : names.get(id) || id), passage: (item) => passage(item, question.text) };
  let told = ""; // of what was understood
  let written = ""; // of a summary, so far

  const page = {
    // tell shows what was understood, once.
    tell(meta) {
      answered = meta?.answer_id || answered;
      const now = JSON.stringify(meta?.understood ?? null);
      if (now === told) return;
      told = now;
      const section = understood(meta, {
        take: (name) => change(question, { [name]: "any" }),
        spell: () => change(question, { spelling: "exact" }),
      });
      at("understood").replaceChildren(...[section].filter(Boolean));
    },
    // write shows a summary that is being written, sentence by sentence. The summary itself takes its place.
    write(sentence) {
      written += sentence;
      at("note").replaceChildren(note({ text: written, extractive: false }));
    },
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
      items.push(item);
      cards.insertBefore(card(item, context), cards.children[n] || null);
      status(say("so_far", count(places.length, "count")));
    },
    finish(whole, elapsed, limit) {
      page.tell(whole._meta);
      if (whole.elicitation) return back(question, whole);
      const time = Number(whole._meta?.processing_time_ms);
      const parts = [count(places.length, "count")];
      if (developing()) parts.push(time >= 0 ? say("at_desk", took(time)) : null, say("in_all", took(elapsed)));
      status(parts.filter(Boolean).join(" · "));
      const sort = sorter(items, whole._meta, (order) => change(question, { sort: order }));
      if (sort) at("understood").append(sort);
      if (whole.error) after.append(notice(say("incomplete"), text(whole.error.message) || say("cut"), again(question, limit)));
      else if (places.length >= limit && limit < lastLimit) after.append(more(question, limit));
      after.append(follow(question, whole._meta, items));
    },
    fail(refusal) {
      page.tell(refusal.meta);
      cards.replaceChildren();
      const [headline, advice] = explain(refusal);
      const none = refusal.code === "NO_RESULTS";
      document.body.classList.toggle("empty", none); // which brings the examples back
      status(say(none ? "no_answers" : "no_answer"));
      after.append(notice(headline, advice, ...ways(refusal, question)));
      if (none && desk.contact) after.append(make("p", { class: "contact" }, make("a", { href: desk.contact }, say("contact"))));
      const closest = none && Array.isArray(refusal.meta?.closest) ? refusal.meta.closest : [];
      if (closest.length > 0) {
        const list = make("ul", { class: "cards closest", "aria-labelledby": "closest" }, closest.map((item) => card(item, context)));
        after.append(make("h2", { id: "closest" }, say("closest")), list);
      }
      if (none && refusal.meta?.session_context) after.append(follow(question, refusal.meta));
    },
  };
  return page;
}

const status = (words) => { at("status").textContent = words; };

// ---- going on from an answer

// change asks a question again with other attributes, in the same place of its conversation.
function change(question, attributes) {
  go({ ...question, attributes: { ...question.attributes, ...attributes } });
  at("answers").focus({ preventScroll: true }); // the chip or choice that had it is gone
}

// back shows the questions that the desk asks back. The answers go along with the same question, and with the session.
function back(question, whole) {
  const asked = askBack(whole.elicitation, (answers) => {
    go({ ...question, attributes: { ...question.attributes, ...answers }, session: whole._meta?.session_context || question.session });
    at("answers").focus({ preventScroll: true });
  });
  status(say("asked_back", asked.count.toLocaleString(language), asked.headline));
  after.append(asked.form);
  asked.focus();
}

// follow is the box for a question that goes on from this one, with questions that suggest themselves.
function follow(question, meta, items = []) {
  const on = (words) => {
    go({ ...fresh(words), prev: [...question.prev, question.text].slice(-maxPrev), session: meta?.session_context || question.session });
    at("answers").focus({ preventScroll: true });
    scrollTo({ top: 0 });
  };
  const suggested = hintsFor(items);
  const form = onward(on);
  if (suggested.length === 0) return form;
  return make("div", {}, form, make("ul", { class: "chips hints", "aria-label": say("follow") }, suggested.map((words) => make("li", {}, button(words, () => on(words))))));
}

function onward(ask) {
  const input = make("input", { type: "text", name: "follow", maxlength: "4000", autocomplete: "off", enterkeyhint: "search", placeholder: say("follow_hint"), required: true });
  const on = make("form", { class: "follow", "aria-label": say("follow") },
    make("label", {}, make("span", {}, say("follow")), input), make("button", { type: "submit", class: "quiet" }, say("follow_ask")));
  on.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = input.value.trim();
    if (words) ask(words);
  });
  return on;
}

// thread lists the questions that this one goes on from, each leading back to its own answers.
function thread(question) {
  if (question.prev.length === 0) return [];
  const earlier = question.prev.map((words, place) => {
    const then = { ...fresh(words), prev: question.prev.slice(0, place) };
    const link = make("a", { href: address(then) }, words);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(then);
    });
    return make("li", {}, link);
  });
  return [make("nav", { "aria-label": say("thread") }, make("ol", { class: "thread" }, earlier, make("li", { "aria-current": "true" }, question.text)))];
}

// ---- when there is no answer

// explain puts a failure into words: what happened, and what to do.
function explain({ code, message, retryAfter, status }) {
  const wait = retryAfter ? count(retryAfter, "wait") : say("wait");
  switch (code) {
    case "NO_RESULTS": return [say("none"), message || say("none_try")];
    case "RATE_LIMITED": return [say("busy"), wait];
    case "TOKEN_LIMIT": return [say("long"), message || say("long_try")];
    case "TIMEOUT": return [say("slow"), message || say("slow_try")];
    case "UNAVAILABLE": return [say("unready"), [message, retryAfter ? wait : ""].filter(Boolean).join(" ")];
    case "UNREACHABLE": return [say("unreachable"), say("unreached")];
    case "CANCELLED": return [say("cancelled"), say("cancelled_try")];
    case "CUT_OFF": return [say("cut"), say("cut_try")];
    case "NOT_AN_ANSWER": return [say("failed"), say("not_an_answer", status)];
    default: return [say("failed"), [message, `(${code})`].filter(Boolean).join(" ")];
  }
}

// ways are the buttons that lead on from a failure.
function ways({ code }, question) {
  if (code !== "NO_RESULTS") return [again(question, firstLimit)];
  const wider = [];
  if (question.site) wider.push(button(say("wider_sites"), () => go({ ...question, site: "" })));
  if (question.type) wider.push(button(say("wider_types"), () => go({ ...question, type: "" })));
  return wider;
}

const notice = (headline, advice, ...buttons) =>
  make("section", { class: "notice", "aria-label": headline }, make("h2", {}, headline), advice ? make("p", {}, advice) : null, buttons);

function button(label, act) {
  const element = make("button", { type: "button", class: "quiet" }, label);
  element.addEventListener("click", act);
  return element;
}

const again = (question, limit) => button(say("again"), () => run(question, { limit }));
const more = (question, limit) => button(say("more"), () => run(question, { limit: Math.min(limit + step, lastLimit) }));

// ---- which results are followed: told without a cookie, so that the owner sees which answers help

let answered = null; // the id of the answer that is shown

for (const kind of ["click", "auxclick"]) cards.addEventListener(kind, (event) => {
  const link = event.target.closest("a[href]");
  const position = link ? [...cards.children].findIndex((one) => one.contains(link)) + 1 : 0;
  if (answered && position) navigator.sendBeacon?.(new URL(`${desk.ask}/click`, location.href), JSON.stringify({ answer_id: answered, position }));
});

// ---- the request and response themselves

function drawRaw() {
  raw.replaceChildren();
  if (!shown) return;
  const endpoint = new URL(desk.ask, location.href).href;
  const quote = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
  const curl = `curl -N ${quote(endpoint)} -H 'Content-Type: application/json' \\\n  -d ${quote(JSON.stringify(shown.request))}`;
  const block = (title, code) => {
    const copy = button(say("copy"), async () => {
      try { await navigator.clipboard.writeText(code); copy.textContent = say("copied"); } catch { getSelection().selectAllChildren(pre); copy.textContent = say("selected"); }
      setTimeout(() => { copy.textContent = say("copy"); }, 1600);
    });
    const pre = make("pre", { class: "code", tabindex: "0", "aria-label": title }, code);
    return make("div", { class: "block" }, make("h2", {}, title), copy, pre);
  };
  raw.append(block(say("command"), curl), block(say("request"), JSON.stringify(shown.request, null, 2)), block(say("response"), pretty(shown.response)));
}

// pretty sets the response's JSON on lines of its own, whether it is one object or events; else it stays as it is.
function pretty(response) {
  const indented = (json) => { try { return JSON.stringify(JSON.parse(json), null, 2); } catch { return json; } };
  if (!/^(event|data):/m.test(response)) return indented(response);
  return response.replace(/^data: ?(.*)$/gm, (_, json) => `data: ${indented(json)}`).trim();
}

// ---- the developer's switch: what was sent and what it took is of use to them alone

const developer = at("developer");
const developing = () => developer.getAttribute("aria-pressed") === "true";

function develop(on) {
  developer.setAttribute("aria-pressed", String(on));
  rawToggle.hidden = !on;
  raw.hidden = raw.hidden || !on;
  try { sessionStorage.setItem("developer", on ? "1" : ""); } catch { /* it is asked for again */ }
}

developer.hidden = false;
developer.addEventListener("click", () => develop(!developing()));
try { develop(sessionStorage.getItem("developer") === "1"); } catch { develop(false); }

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
  const state = question.session ? { session: question.session } : null;
  if (target !== location.pathname + location.search) history.pushState(state, "", target);
  else history.replaceState(state, "");
  run(question);
}

// arrive shows what the address says: answers to its question, or the beginning.
function arrive() {
  const question = fromAddress();
  fill(question);
  if (question.text) return run(question);
  current?.abort();
  current = asking = null;
  document.body.classList.remove("asked", "asking", "empty");
  document.title = desk.title;
  at("bar").hidden = true;
  raw.hidden = true;
  rawToggle.setAttribute("aria-expanded", "false");
  for (const id of ["thread", "understood", "note", "cards", "after", "raw"]) at(id).replaceChildren();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const words = box.value.trim();
  if (words) go(fresh(words));
});

// A change of site, type or mode asks the same question again.
form.addEventListener("change", (event) => {
  if (event.target !== box && asking && document.body.classList.contains("asked")) go({ ...asking, ...picked() });
});

at("examples")?.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go({ ...fresh(link.textContent), site: "", type: "" });
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
