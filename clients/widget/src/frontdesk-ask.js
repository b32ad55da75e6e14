// What a page loads: <script type="module" src="https://desk.example.com/widget/v1/frontdesk-ask.js"></script>.
// The server puts the folder of this version's files into its place, so that versions never mix.

import { define } from "./element.js";

const folder = "{folder}";
const at = (path) => new URL(path, import.meta.url).href;

define((element, language) => {
  if (!element.hasAttribute("src")) element.desk = at("../../");
  return Promise.all([import(at(`../${folder}/main.js`)), import(at(`../v1/words-${encodeURIComponent(language)}.js?${folder}`)).then((m) => m.default)]);
});
