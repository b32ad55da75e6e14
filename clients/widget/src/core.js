// Asking a front desk, without anything to see: questions go out, and what comes back are events. It keeps nothing,
// and sends no cookie.

import { ask as send, Refusal } from "../../../internal/ask/page/assets/stream.js";

export { Refusal };

// The time between two looks at a promised answer, in milliseconds: from the first to the longest, ever more.
const firstPause = 250, longestPause = 5000;

// createDesk is the front desk at an address, such as "https://desk.example.com/".
export function createDesk(src) {
  const at = (path) => new URL(path, String(src).replace(/\/?$/, "/"));
  return {
    src: at("").href,

    // ask asks a question and gives what comes back as it comes, each as {type, ...}:
    //
    //   start      {meta}                    what was understood, before the first item
    //   delta      {text}                    a sentence of a summary that is being written
    //   summary    {item}                    the direct answer
    //   item       {index, item}             one result, at its place among them
    //   questions  {elicitation, meta}       the desk asks back: ask again with `attributes`, by the questions' ids
    //   promise    {message, progress, seconds, cancel()}   the answer takes a while, and comes by itself
    //   nothing    {message, meta}           nothing matches; meta.closest are items that nearly do
    //   done       {meta, results, error}    the end. meta.session_context goes into the next question as `session`
    //
    // A question that cannot be answered throws a Refusal, which has a code, and retryAfter in seconds.
    async *ask(text, { signal, ...options } = {}) {
      const queue = [], stop = new AbortController();
      let wake, failure, end;
      const put = (event) => { queue.push(event); wake?.(); };
      answer({ at, put, signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal }, text, options)
        .catch((error) => { failure = error; })
        .then(() => { end = true; wake?.(); });
      try {
        for (;;) {
          while (queue.length > 0) yield queue.shift();
          if (end) break;
          await new Promise((resolve) => { wake = resolve; });
        }
        if (failure) throw failure;
      } finally {
        stop.abort(); // whoever reads no further needs no more of it
      }
    },

    // follow tells that a result was followed, by the answer_id in an answer's meta and its place, the first being 1.
    follow(answerID, position) {
      if (!answerID) return;
      fetch(at("ask/click"), {
        method: "POST", credentials: "omit", keepalive: true, body: JSON.stringify({ answer_id: answerID, position }),
      }).catch(() => {});
    },
  };
}

// answer asks, and waits for what is promised.
async function answer({ at, put, signal }, text, options) {
  const seen = new Set();
  const on = {
    meta: (meta) => put({ type: "start", meta }),
    delta: (sentence) => put({ type: "delta", text: sentence }),
    result(index, item) {
      if (seen.has(index)) return;
      seen.add(index);
      put(item["@type"] === "SearchSummary" ? { type: "summary", item } : { type: "item", index, item });
    },
  };
  const post = (path, body) => send(at(path), body, { signal, on, credentials: "omit" });
  try {
    let whole = await post("ask", request(text, options));
    if (whole.promise) whole = await promised(whole, { post, put, signal });
    if (whole.elicitation) put({ type: "questions", elicitation: whole.elicitation, meta: whole._meta || {} });
    else put({ type: "done", meta: whole._meta || {}, results: whole.results || [], error: whole.error });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    if (!(failure instanceof Refusal)) throw new Refusal("UNREACHABLE", "");
    if (failure.code !== "NO_RESULTS") throw failure;
    put({ type: "nothing", message: failure.message, meta: failure.meta || {} });
  }
}

// request is a question of NLWeb 0.55, section 3; limit, deltas and closest are extensions of the server.
function request(text, { site, type, limit, attributes, session, summary = true, language }) {
  return { // what is undefined is left out
    query: { ...attributes, text, site: site || undefined, itemType: type || undefined, limit: limit || undefined },
    prefer: { streaming: true, mode: summary ? "list, summarize" : "list", closest: true, deltas: summary || undefined, "accept-language": language || undefined },
    meta: { version: "0.55", session_context: session || undefined },
  };
}

// promised looks at a promise until it is kept (NLWeb 0.55, section 4.1.2).
async function promised(whole, { post, put, signal }) {
  const { token } = whole.promise;
  let wake = () => {}, action = "checkin";
  const cancel = () => { action = "cancel"; wake(); };
  for (let pause = firstPause; whole.promise; pause = Math.min(pause * 1.5, longestPause)) {
    const { message, progress, estimated_time: seconds } = whole.promise;
    put({ type: "promise", message, progress, seconds, cancel });
    if (action === "checkin") {
      await new Promise((resolve, reject) => {
        wake = resolve;
        const timer = setTimeout(resolve, pause);
        signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
      });
    }
    whole = await post("await", { promise_token: token, action, meta: { version: "0.55" } });
  }
  return whole;
}
