// What a bundler takes: import "@frontdesk/ask". The words come from the desk that the attribute src names.

import { define } from "./element.js";

define(async (element, language) => {
  const src = element.getAttribute("src");
  if (!src) throw new Error('<frontdesk-ask> needs src="https://desk.example.com/", the address of the front desk');
  const words = new URL(`widget/v1/words-${encodeURIComponent(language)}.js`, src.replace(/\/?$/, "/")).href;
  return Promise.all([import("./main.js"), import(/* @vite-ignore */ /* webpackIgnore: true */ words).then((m) => m.default)]);
});
