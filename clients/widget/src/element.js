// The element <frontdesk-ask>, as far as it goes without the rest: its launcher, and when the rest is needed.

import sheet from "../../../internal/ask/widget/dist/launcher.css";

// define makes the element. load(element, language) brings the rest of it: {build} and the words.
export function define(load) {
  if (!globalThis.customElements || customElements.get("frontdesk-ask")) return;
  let css;

  class FrontdeskAsk extends HTMLElement {
    #rest;
    #away;

    connectedCallback() {
      const mode = this.getAttribute("mode"), away = (this.#away = new AbortController()), listening = { signal: away.signal };
      if (!this.shadowRoot) {
        if (!css) (css = new CSSStyleSheet()).replaceSync(sheet);
        const slot = document.createElement("slot");
        this.attachShadow({ mode: "open" });
        if (mode !== "modal") this.shadowRoot.append(slot); // what stands in the element, until there is more
        this.shadowRoot.adoptedStyleSheets = [css];
        if (mode === "launcher") {
          const button = document.createElement("button");
          button.className = "launcher";
          button.part = "launcher";
          button.type = "button";
          button.setAttribute("aria-haspopup", "dialog");
          slot.name = "launcher";
          slot.append(this.label || "?");
          button.append(slot);
          this.shadowRoot.append(button);
          for (const near of ["pointerenter", "focus"]) button.addEventListener(near, () => this.#load().catch(() => {}), { once: true });
          button.addEventListener("click", () => this.open());
        }
      }
      if (mode === "modal") {
        addEventListener("keydown", (event) => {
          if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
            event.preventDefault();
            this.open();
          }
        }, listening);
        document.addEventListener("click", (event) => {
          const opens = this.getAttribute("for");
          if (opens && event.target.closest?.(opens)) {
            event.preventDefault();
            this.open();
          }
        }, listening);
      } else if (mode !== "launcher") {
        this.#load().catch(() => {}); // what stands in the element stays, and the event has told
      }
    }

    disconnectedCallback() { this.#away.abort(); }

    // label is what the element is called: what stands in it.
    get label() { return [...this.childNodes].map((node) => (node.slot ? "" : node.textContent)).join("").trim(); }

    // language is that of the nearest element that has one.
    get language() { return this.closest("[lang]")?.lang || navigator.language || "en"; }

    #load() {
      this.#rest ??= load(this, this.language).then(([main, words]) => main.build(this, words)).catch((error) => {
        this.#rest = null; // the next press tries again
        this.dispatchEvent(new CustomEvent("frontdesk-error", { bubbles: true, composed: true, detail: { code: "UNREACHABLE", message: String(error) } }));
        throw error;
      });
      return this.#rest;
    }

    // Each waits for what is needed. The promise of ask is kept when the answer is there.
    async ask(text) { return (await this.#load()).ask(String(text)); }
    async open() { (await this.#load()).open(); }
    async close() { (await this.#load()).close(); }
    async reset() { (await this.#load()).reset(); }
  }
  customElements.define("frontdesk-ask", FrontdeskAsk);
}
