// Runs the script of a page in a document with the page's errors, and writes
// what each query leaves shown.
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

const input = JSON.parse(readFileSync(process.argv[2], "utf8"));

const listeners = {};
const element = (more) => ({
  hidden: false,
  addEventListener(name, listener) {
    listeners[name] = listener;
  },
  ...more,
});
const ids = { find: element({ hidden: true }), words: element({ value: "" }), found: element(), nothing: element() };
const domains = [...new Set(input.articles.map((article) => article.domain))];
const sections = domains.map((domain) =>
  element({
    querySelector: (selector) =>
      selector === "h2"
        ? { textContent: domain }
        : (articles.find((article) => article.parentElement === sections[domains.indexOf(domain)] && !article.hidden) ?? null),
  }),
);
const articles = input.articles.map(({ id, domain, text }) =>
  element({ dataset: { error: id }, textContent: text, parentElement: sections[domains.indexOf(domain)] }),
);
const found = { section: sections, article: articles, "[data-error]": articles };

runInNewContext(input.script, {
  document: {
    ...element(),
    getElementById: (id) => ids[id],
    querySelectorAll: (selector) => found[selector],
  },
});

const results = input.queries.map((query) => {
  ids.words.value = query;
  listeners.input();
  return {
    shown: articles.filter((article) => !article.hidden).map((article) => article.dataset.error),
    sections: sections.filter((section) => !section.hidden).length,
    text: ids.found.textContent,
    nothing: !ids.nothing.hidden,
  };
});
console.log(JSON.stringify(results));
