(() => {
  "use strict";
  const form = document.getElementById("find");
  const box = document.getElementById("words");
  const found = document.getElementById("found");
  const nothing = document.getElementById("nothing");
  const sections = Array.from(document.querySelectorAll("section"));
  const places = new Map();
  for (const element of document.querySelectorAll("[data-error]")) {
    const id = element.dataset.error;
    places.set(id, [...(places.get(id) ?? []), element]);
  }
  const errors = Array.from(document.querySelectorAll("article"), (article) => ({
    id: article.dataset.error,
    text: `${article.parentElement.querySelector("h2").textContent} ${article.textContent}`.toLowerCase(),
  }));

  function search() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { id, text } of errors) {
      const hit = words.every((word) => text.includes(word));
      for (const element of places.get(id)) {
        element.hidden = !hit;
      }
      count += hit ? 1 : 0;
    }
    for (const section of sections) {
      section.hidden = section.querySelector("[data-error]:not([hidden])") === null;
    }
    nothing.hidden = count > 0;
    found.textContent = `${count} of ${errors.length} errors`;
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", search);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    }
  });
  // Browsers keep what stood in the box when the page is loaded again.
  search();
})();
