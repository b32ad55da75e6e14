// Asking over the wire: POST /ask, and the answer as events, whether it came as a stream of server-sent events or
// as one JSON object (NLWeb 0.55, sections 4 and 6).

import { isObject } from "./words.js";

// eventReader reads a stream of server-sent events from chunks of text and calls take(name, data) for each. The
// chunks may be cut anywhere, also within a line or between "\r" and "\n".
export function eventReader(take) {
  let rest = "";
  return (chunk) => {
    const events = (rest + chunk).split(/\r\r|\r?\n\r?\n/);
    rest = events.pop();
    for (const event of events) {
      const data = [];
      let name = "message";
      for (const line of event.split(/\r\n|\n|\r/)) {
        const [, field, value] = /^(\w+):? ?(.*)/.exec(line) || [];
        if (field === "event") name = value || name;
        if (field === "data") data.push(value);
      }
      if (data.length > 0) take(name, data.join("\n"));
    }
  };
}

// A Refusal is an answer that is none: it has a code of the protocol, or one of ours, and says whether it is worth
// trying again.
export class Refusal extends Error {
  constructor(code, message, retryAfter, meta, status) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
    this.meta = meta; // of the response, where there was one
    this.status = status; // of HTTP
  }
}

// ask posts a question and calls on.meta(meta) with what the response says of itself as soon as it does,
// on.result(index, item) for each item as it arrives, on.delta(sentence) for each sentence of a summary that is being
// written (an extension of this server, for those who ask for it) and on.text(piece) with the response's own bytes. It resolves to the whole response in its JSON form, whichever way it came. A failure that
// arrives before anything else is thrown as a Refusal; one after it is in the response as "error".
export async function ask(address, body, { signal, on, credentials = "same-origin" }) {
  const response = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream, application/json" },
    body: JSON.stringify(body),
    signal,
    credentials,
  });
  const streams = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  const whole = await (streams ? streamed : plain)(response, on);
  if (whole.error && !(whole.results?.length > 0)) {
    const { code, message } = whole.error;
    throw new Refusal(String(code || "INTERNAL_ERROR"), String(message || ""), parseInt(response.headers.get("Retry-After")) || 0, whole._meta, response.status);
  }
  return whole;
}

async function streamed(response, on) {
  const whole = { _meta: {}, results: [] };
  let complete = false;
  const read = eventReader((name, data) => {
    let event;
    try { event = JSON.parse(data); } catch { return; } // one broken event does not spoil the others
    if (!isObject(event)) return;
    if (isObject(event._meta)) {
      whole._meta = event._meta;
      if (name === "start") on.meta(event._meta);
    }
    if (name === "result" && event.index >= 0 && isObject(event.item)) {
      whole.results[event.index] = event.item;
      on.result(event.index, event.item);
    }
    if (name === "delta" && typeof event.text === "string") on.delta?.(event.text);
    if (name === "error") whole.error = event.error || {};
    if (name === "complete") {
      complete = true;
      for (const member of ["elicitation", "promise"]) if (event[member]) whole[member] = event[member];
    }
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let done, value; !done; ) {
    ({ done, value } = await reader.read());
    const text = decoder.decode(value, { stream: !done });
    on.text?.(text);
    read(text);
  }
  whole.results = whole.results.filter(Boolean); // a place that was never filled
  if (!complete && !whole.error) whole.error = { code: "CUT_OFF", message: "" };
  return whole;
}

async function plain(response, on) {
  const text = await response.text();
  on.text?.(text);
  let whole;
  try { whole = JSON.parse(text); } catch { /* it is none */ }
  if (!isObject(whole)) whole = { error: { code: "NOT_AN_ANSWER" } };
  if (Array.isArray(whole.results)) {
    whole.results = whole.results.filter(isObject);
    whole.results.forEach((item, index) => on.result(index, item));
  }
  if (!response.ok) whole.error ??= { code: "NOT_AN_ANSWER" };
  return whole;
}
