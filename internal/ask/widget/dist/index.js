// ../internal/ask/widget/dist/launcher.css
var launcher_default = ":host{--a:var(--frontdesk-accent, light-dark(#143b32, #9fd8c2));--k:clamp(0, (.179 - .2126 * r - .7152 * g - .0722 * b) * 1e4, 1);--on:var(--frontdesk-on-accent, color(from var(--a) srgb-linear var(--k) var(--k) var(--k)));font:var(--frontdesk-font, 1rem/1.5 system-ui, sans-serif)}:host([hidden]){display:none}:host([theme=light]){color-scheme:light}:host([theme=dark]){color-scheme:dark}:host([theme=system]){color-scheme:light dark}.launcher{position:fixed;right:1.25rem;bottom:calc(1.25rem + env(safe-area-inset-bottom));z-index:var(--frontdesk-z, 2147483000);max-width:calc(100vw - 2.5rem);min-height:3rem;padding:.6rem 1.4rem;font:inherit;font-weight:600;color:var(--on);background:var(--a);border:0;border-radius:99px;box-shadow:0 4px 16px #0006;cursor:pointer}:host([position=bottom-left]) .launcher{right:auto;left:1.25rem}.launcher:focus-visible{outline:3px solid var(--a);outline-offset:3px}@media print{:host{display:none}}\n";

// ../clients/widget/src/element.js
function define(load) {
  if (!globalThis.customElements || customElements.get("frontdesk-ask")) return;
  let css;
  class FrontdeskAsk extends HTMLElement {
    #rest;
    #away;
    connectedCallback() {
      const mode = this.getAttribute("mode"), away = this.#away = new AbortController(), listening = { signal: away.signal };
      if (!this.shadowRoot) {
        if (!css) (css = new CSSStyleSheet()).replaceSync(launcher_default);
        const slot = document.createElement("slot");
        this.attachShadow({ mode: "open" });
        if (mode !== "modal") this.shadowRoot.append(slot);
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
          for (const near of ["pointerenter", "focus"]) button.addEventListener(near, () => this.#load().catch(() => {
          }), { once: true });
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
        this.#load().catch(() => {
        });
      }
    }
    disconnectedCallback() {
      this.#away.abort();
    }
    // label is what the element is called: what stands in it.
    get label() {
      return [...this.childNodes].map((node) => node.slot ? "" : node.textContent).join("").trim();
    }
    // language is that of the nearest element that has one.
    get language() {
      return this.closest("[lang]")?.lang || navigator.language || "en";
    }
    #load() {
      this.#rest ??= load(this, this.language).then(([main, words]) => main.build(this, words)).catch((error) => {
        this.#rest = null;
        this.dispatchEvent(new CustomEvent("frontdesk-error", { bubbles: true, composed: true, detail: { code: "UNREACHABLE", message: String(error) } }));
        throw error;
      });
      return this.#rest;
    }
    // Each waits for what is needed. The promise of ask is kept when the answer is there.
    async ask(text) {
      return (await this.#load()).ask(String(text));
    }
    async open() {
      (await this.#load()).open();
    }
    async close() {
      (await this.#load()).close();
    }
    async reset() {
      (await this.#load()).reset();
    }
  }
  customElements.define("frontdesk-ask", FrontdeskAsk);
}

// ../clients/widget/src/index.js
define(async (element, language) => {
  const src = element.getAttribute("src");
  if (!src) throw new Error('<frontdesk-ask> needs src="https://desk.example.com/", the address of the front desk');
  const words = new URL(`widget/v1/words-${encodeURIComponent(language)}.js`, src.replace(/\/?$/, "/")).href;
  return Promise.all([import("./main.js"), import(
    /* @vite-ignore */
    /* webpackIgnore: true */
    words
  ).then((m) => m.default)]);
});
