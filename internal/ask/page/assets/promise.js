// Answers that are promised for later (NLWeb 0.55, section 4.1.2): how far the work is, a way to end it, and the answer.

import { make } from "./cards.js";
import { figure, say } from "./say.js";
import { member, text } from "./words.js";

// The time between two looks, in milliseconds: from the first to the longest, ever more.
const first = 250, longest = 5000;

// awaited shows a promise in a place of the page and looks at it until it is kept; then it gives the whole response, which
// ask() has told of as of any other. What else becomes of the promise is ask()'s to throw.
export async function awaited(whole, { address, ask, place, signal, on }) {
  const token = text(member(whole.promise).token);
  const bar = make("progress", { max: "1", "aria-label": say("progress") });
  const words = make("p", {}), left = make("p", { class: "left" });
  const cancel = make("button", { type: "button", class: "quiet" }, say("cancel"));
  let cancelled = false, wake = () => {};
  cancel.addEventListener("click", () => {
    cancelled = cancel.disabled = true;
    wake();
  });
  const shown = make("section", { class: "notice promise", "aria-label": say("promised") }, words, bar, left, cancel);
  place.replaceChildren(shown);
  try {
    for (let pause = first; whole.promise; pause = Math.min(pause * 1.5, longest)) {
      const { message, progress, estimated_time: seconds } = member(whole.promise);
      words.textContent = text(message) || say("promised");
      if (Number(progress) >= 0) bar.value = Math.max(bar.value, Math.min(Number(progress), 1));
      left.textContent = Number(seconds) > 0 ? say("left", Number(seconds) < 90 ? say("seconds", figure(Number(seconds))) : say("minutes", figure(Number(seconds) / 60))) : "";
      if (!cancelled) {
        await new Promise((resolve, reject) => {
          wake = resolve;
          const timer = setTimeout(resolve, pause);
          signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
        });
      }
      whole = await ask(address, { promise_token: token, action: cancelled ? "cancel" : "checkin", meta: { version: "0.55" } }, { signal, on });
    }
  } finally {
    shown.remove();
  }
  return whole;
}
