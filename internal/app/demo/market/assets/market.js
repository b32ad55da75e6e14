// The market's page: what a person has done, the messages as they pass, and receipts. All that it shows of others it shows as text.
const $ = (id) => document.getElementById(id);
const lanes = JSON.parse($("places").textContent);
const names = Object.fromEntries(lanes.map((l) => [l.id, l.name]));

// made makes an element with text and children.
function made(tag, properties = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) name in e ? (e[name] = value) : e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// What is done.
const state = { purchase: null, transaction: null };
const addresses = new Map();
const titles = { search: "Asked", retrieve: "Retrieved", cite: "Told that it was shown", quote: "The price", buy: "Bought", fetch: "Fetched", report: "Reported", dispute: "Disputed", submit: "Submitted", bind: "Accepted" };

// may says whether something can be done now, by each of its buttons: those beside the words only with what was found by words.
const may = (act, now) => { for (const b of document.querySelectorAll(`button[data-act=${act}]`)) b.disabled = !now || b.classList.contains("words") && !state.words; };

async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.message);
  return told;
}

async function act(name, args, by, title = titles[name]) {
  by?.setAttribute("aria-busy", "true");
  try {
    const { failed, result } = await post(`/act/${name}`, JSON.stringify(args));
    show(title, failed, result);
    if (!failed) after[name]?.(result, args);
  } catch (error) {
    show(title, true, { message: `${error.message}; is frontdesk still running?` });
  } finally {
    by?.removeAttribute("aria-busy");
    receipts();
    purse();
  }
}

const after = {
  search(result) {
    for (const item of result.items) if (item.for_sale) offerAddress(item.url, item.name);
  },
  retrieve() { may("cite", true); },
  quote(result, args) {
    if (args.query) { // what was found, the best on top
      for (const offer of result.offers.toReversed()) offerAddress(offer.url, offer.title);
      $("by").value = "broker";
    }
    state.words = Boolean(args.query);
    state.purchase = result.offers[0].purchase_id;
    state.by = args.by;
    may("buy", true);
    for (const later of ["fetch", "report", "dispute"]) may(later, false);
  },
  buy(result) {
    state.transaction = result.transaction_id;
    for (const now of ["fetch", "report"]) may(now, true);
  },
  report() { may("dispute", true); },
  submit() { may("bind", true); },
};

for (const id of ["by", "address"]) $(id).addEventListener("change", () => may("buy", false));

// offerAddress lets a text be chosen, the last that was found first.
function offerAddress(url, name) {
  addresses.delete(url);
  addresses.set(url, name);
  may("buy", false);
  $("address").replaceChildren(...[...addresses].reverse().map(([value, text]) => made("option", { value }, text)));
}

// What was asked the price of is bought by whom it was asked by.
const waiting = { buy: () => ({ by: state.by, purchase_id: state.purchase }), fetch: () => ({ transaction_id: state.transaction }), report: () => ({ transaction_id: state.transaction, displayed_to_user: true }),
  dispute: () => ({ transaction_id: state.transaction, reason: "incomplete-content", description: "Pressed in the demonstration." }), cite: () => ({}), bind: () => ({ email: $("email").value }) };

for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const args = Object.fromEntries(new FormData(form));
    delete args.email;
    if (args.length_m) args.length_m = Number(args.length_m);
    act(form.dataset.act, args, event.submitter, form.dataset.title);
  });
}
for (const b of document.querySelectorAll("button[data-act]")) b.addEventListener("click", () => { if (b.getAttribute("aria-busy") !== "true") act(b.dataset.act, waiting[b.dataset.act](), b); });

async function purse() {
  try {
    const { result } = await post("/act/spending", "{}");
    const [limit] = result.limits;
    const through = result.purchases.filter((p) => p.broker).reduce((sum, p) => sum + p.counts.amount, 0);
    $("purse").textContent = `Spent ${limit.spent.amount} of ${limit.limit.amount} ${limit.limit.currency} this ${limit.per}${through ? `, ${Number(through.toFixed(8))} of it through the Broker` : ""}.`;
  } catch { /* the next act tries again */ }
}

// What came of it.
const facts = { message: "Says", transaction_id: "Transaction", report_id: "Report", dispute_id: "Dispute", status: "Status", checked: "Checked", fetch_until: "To be fetched until", explanation: "Why", cited: "Source", code: "Code" };

const price = (p) => `${p.amount} ${p.currency}`;
const hostOf = (address) => (address.includes("//") ? new URL(address).host : address);

function show(title, failed, result) {
  const list = made("dl");
  const say = (term, text) => list.append(made("dt", {}, term), made("dd", {}, String(text)));
  for (const [key, term] of Object.entries(facts)) if (typeof result[key] === "string") say(term, result[key]);
  if (result.transaction_id && result.exchange) say("Sold by", hostOf(result.exchange));
  if (result.cost) say("Cost", price(result.cost));
  if (result.broker_fee) say("Broker’s fee", price(result.broker_fee));
  for (const offer of result.offers ?? []) say(offer.title || "Offer", `${price(offer.price)} ${offer.model}, for ${(offer.permits ?? ["any use"]).join(" and ")}, at ${hostOf(offer.exchange)}${offer.broker_fee ? `; the Broker takes ${price(offer.broker_fee)}, and all of it is ${price(offer.total)}` : ""}${offer.why_not ? `; ${offer.why_not}` : ""}`);
  for (const one of result.passed_over ?? []) say("Passed over", [one.exchange, one.why].filter(Boolean).join(": "));
  const unsold = (result.found ?? []).filter((one) => !result.offers.some((offer) => offer.url === one.uri)).map((one) => one.title);
  if (unsold.length) say("Found, and not sold", unsold.join("; "));
  if (result.offer) say("The business offers", result.offer.summary);
  if (result.bound?.message) say("The business says", result.bound.message);
  const box = made("article", { className: failed ? "failed" : "" }, made("h3", {}, made("span", {}, failed ? `${title}: it did not work` : title), made("time", { className: "soft" }, new Date().toLocaleTimeString())));
  if (result.items) {
    box.append(made("ul", {}, ...result.items.map((item) => made("li", {}, made("b", {}, item.name), item.for_sale ? " (sold) " : " ", made("span", { className: "soft" }, item.excerpt ?? "")))));
    if (!result.items.length) box.append(made("p", {}, result.next));
  }
  if (list.children.length) box.append(list);
  for (const passage of result.passages ?? []) box.append(made("blockquote", {}, passage.text));
  if (result.text) box.append(made("blockquote", { tabIndex: 0 }, result.text));
  $("came").querySelector(":scope > p.soft")?.remove();
  $("came").prepend(box);
  while ($("came").children.length > 6) $("came").lastElementChild.remove();
}

// What passes.
const svg = "http://www.w3.org/2000/svg";
const step = 118, top = 56, row = 40, most = 200;
const place = Object.fromEntries(lanes.map((l, i) => [l.id, step / 2 + i * step]));
const drawing = $("drawing");
const all = [];

function drawn(tag, attributes, text) {
  const e = document.createElementNS(svg, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

const lines = drawn("g", {}), arrows = drawn("g", {}), head = drawn("g", {});
drawing.append(lines, arrows, head);
head.append(drawn("rect", { class: "band", x: 0, y: 0, width: step * lanes.length, height: top - 8 }));
for (const lane of lanes) {
  lines.append(drawn("line", { class: "lane", x1: place[lane.id], x2: place[lane.id], y1: top - 8, y2: top + most * row + 12 }));
  const [first, ...rest] = folded(lane.name);
  head.append(drawn("text", { class: "name", x: place[lane.id], y: rest.length ? 20 : 28 }, first));
  if (rest.length) head.append(drawn("text", { class: "name", x: place[lane.id], y: 38 }, rest.join(" ")));
}

// folded puts a name into two lines where it is long.
function folded(name) {
  const words = name.split(" ");
  if (name.length < 12 || words.length < 2) return [name];
  const half = Math.ceil(words.length / 2);
  return [words.slice(0, half).join(" "), words.slice(half).join(" ")];
}

function size() {
  drawing.setAttribute("width", step * lanes.length);
  drawing.setAttribute("height", top + Math.max(4, Math.min(all.length, most)) * row + 12);
}
size();
$("lanes").addEventListener("scroll", () => head.setAttribute("transform", `translate(0 ${$("lanes").scrollTop})`));

function draw(m) {
  const [from, to] = [place[m.from], place[m.to]];
  const toRight = to > from, end = toRight ? to - 9 : to + 9;
  const g = drawn("g", { class: "fresh message" });
  g.append(drawn("rect", { class: "hit", x: Math.min(from, to), y: 2, width: Math.abs(to - from), height: row - 4 }), drawn("title", {}, [`${names[m.from]} asks ${names[m.to]}`, ...(m.carried ?? [])].join("\n")));
  g.addEventListener("click", () => readMessage(m.n));
  const what = `${m.what.length > 34 ? `${m.what.slice(0, 33)}…` : m.what} ${m.status}`;
  g.append(
    drawn("line", { class: `arrow ${m.protocol}${m.status >= 400 ? " refused" : ""}`, x1: from, x2: end, y1: 26, y2: 26 }),
    drawn("path", { class: `tip ${m.protocol}`, d: toRight ? `M${to} 26l-10-5v10z` : `M${to} 26l10-5v10z` }),
    drawn("text", { class: `what ${m.protocol}`, x: Math.min(Math.max((from + to) / 2, what.length * 3.8), step * lanes.length - what.length * 3.8), y: 19 }, what));
  arrows.append(g);
  setTimeout(() => g.classList.remove("fresh"), 600); // what is out of sight would come later
  if (arrows.children.length > most) arrows.firstElementChild.remove();
  [...arrows.children].forEach((e, i) => e.setAttribute("transform", `translate(0 ${top + i * row})`));
}

function passed(m) {
  const box = $("lanes"), atEnd = box.scrollTop + box.clientHeight > box.scrollHeight - 60;
  all.push(m);
  draw(m);
  size();
  const line = made("li", { value: m.n, tabIndex: -1 }, made("span", { className: `tag ${m.protocol}` }, m.protocol), made("b", {}, names[m.from]), " asks ", made("b", {}, names[m.to]), `: ${m.method} ${m.what}, answered ${m.status}`);
  if (m.carried) line.append(made("ul", { className: "carried" }, ...m.carried.map((text) => made("li", {}, text))));
  const list = $("messages"), following = list.scrollTop + list.clientHeight > list.scrollHeight - 60;
  list.append(line);
  if (following) list.scrollTop = list.scrollHeight;
  compare(m);
  if ($("messages").children.length > most) $("messages").firstElementChild.remove();
  $("count").textContent = `(${all.length})`;
  if (atEnd) box.scrollTop = box.scrollHeight;
  clearTimeout(passed.soon);
  passed.soon = setTimeout(receipts, 300);
}

$("words").addEventListener("toggle", () => { if (!reading) $("messages").scrollTop = $("messages").scrollHeight; reading = false; });

// readMessage shows a message in words.
let reading = false;
function readMessage(n) {
  reading = !$("words").open;
  $("words").open = true;
  const line = document.querySelector(`#messages > li[value="${n}"]`);
  line?.scrollIntoView({ block: "nearest" });
  line?.focus();
}

// What the Exchanges offered the Broker, since it was asked last, and what it made of it.
let heard = [], searched = "";
const before = Number(document.querySelector("main").dataset.opened);
function compare(m) {
  if (m.n <= before) return; // what passed while the market was put up
  if (m.from === "broker" && m.what === "DiscoverResources") heard.push(m);
  if (m.to !== "broker" || m.what !== "Resolve") return;
  const lines = m.carried ?? [];
  const words = lines.find((line) => line.startsWith("looks for: "));
  const found = lines.filter((line) => line.startsWith("found ")).length;
  if (words) searched = `Its search for “${words.slice("looks for: ".length)}” found ${found === 1 ? "one text" : `${found} texts`}, for which the agent signed. `;
  if (!heard.length) return;
  const said = (start) => lines.filter((line) => line.startsWith(start));
  $("choices").replaceChildren(...heard.map((one) => {
    const domain = `${one.to}.localhost`;
    const taken = lines.filter((line) => line.startsWith("for ") && line.includes(` chose ${domain} `)).map((line) => line.split(" ")[1]);
    const chosen = taken.length > 0 || said(`chose ${domain} `).length > 0;
    const why = said(`passed over ${domain}: `).map((line) => line.slice(`passed over ${domain}: `.length));
    const offers = (one.carried ?? []).filter((line) => line.startsWith("offers ")).map((line) => line.replace(/^offers (it for )?/, ""));
    const choice = taken.length ? `is taken for ${taken.join(", ")}` : "is taken";
    return made("tr", { className: chosen ? "chosen" : "" }, made("th", { scope: "row" }, names[one.to]), made("td", {}, offers.join("; ") || `nothing (${one.status})`), made("td", {}, chosen ? choice : !offers.length ? "" : why.length ? `is passed over: ${why.join("; ")}` : m.status >= 400 ? "nothing is bought" : "is not taken: there is a better one"));
  }));
  const hop = (heard[0].carried ?? []).find((line) => line.startsWith("passed on and signed by "));
  $("choice-about").textContent = `${searched}The agent’s query was ${hop ?? "passed on"}, so each Exchange knows who asks, and by way of whom.`;
  $("choice-says").textContent = lines.filter((line) => /^(at most|takes|refused|transaction) /.test(line) || line.startsWith("refused: ")).join("; ");
  $("choice").hidden = false;
  heard = [];
  searched = "";
}

const source = new EventSource("/events");
source.addEventListener("message", (event) => {
  const m = JSON.parse(event.data);
  if (all.length && m.n <= all.at(-1).n) return;
  passed(m);
});
source.addEventListener("open", () => { $("link").textContent = ""; });
source.addEventListener("error", () => { $("link").textContent = "The connection is lost; trying again."; });
if (matchMedia("(max-width: 45rem)").matches) $("words").open = true;

// Receipts.
let listed = "";
async function receipts() {
  let told;
  try {
    told = await (await fetch("/receipts")).json();
  } catch { return; }
  const text = JSON.stringify(told.receipts);
  if (!told.receipts || text === listed) return;
  listed = text;
  const focused = document.activeElement?.dataset?.id;
  $("receipts").replaceChildren(...told.receipts.map((fact) => {
    const b = made("button", { type: "button" }, made("b", {}, fact.kind), ` · ${names[fact.place]}`, made("small", {}, [new Date(fact.time).toLocaleTimeString(), fact.subject].filter(Boolean).join(" · ")));
    b.dataset.id = fact.id;
    b.setAttribute("aria-current", String(fact.id === opened.id));
    b.addEventListener("click", () => openReceipt(fact));
    return made("li", {}, b);
  }));
  if (focused) document.querySelector(`button[data-id="${CSS.escape(focused)}"]`)?.focus();
}

let opened = {};
async function openReceipt(fact) {
  const answer = await fetch(`/receipts/${fact.place}/${fact.id}`);
  const told = await answer.json();
  opened = fact;
  for (const b of document.querySelectorAll("#receipts button")) b.setAttribute("aria-current", String(b.dataset.id === fact.id));
  $("receipt").hidden = false;
  $("receipt-title").textContent = `${fact.kind}, in the ledger of ${names[fact.place]}`;
  $("receipt-text").value = answer.ok ? JSON.stringify(told, null, 2) : told.message;
  verdict("", "");
  $("receipt-title").focus();
}

function verdict(truth, text) {
  $("verdict").className = truth;
  $("verdict").textContent = text;
}

$("verify").addEventListener("click", async () => {
  try {
    const told = await post(`/verify/${opened.place}`, $("receipt-text").value);
    verdict(String(told.true), told.true ? `True: it stands in the ledger ${told.ledger} among ${told.entries} entries, signed with the key at ${told.keys}.` : `Not true: ${told.message}`);
  } catch (error) {
    verdict("false", `Not true: ${error.message}`);
  }
});

receipts();
purse();
