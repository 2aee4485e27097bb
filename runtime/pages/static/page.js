"use strict";
// The next page, fetched before it is asked for: where its link comes near, its content takes the place of this one's.
const ahead = new Map();
const here = () => location.pathname + location.search;
let shown = here();
const fetchAhead = (link) => {
  if (ahead.has(link.href)) return;
  ahead.set(link.href, null);
  fetch(link.href)
    .then((answer) => (answer.ok ? answer.text() : null))
    .then((text) => ahead.set(link.href, text), () => ahead.delete(link.href));
};
const near = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => fetchAhead(entry.target)),
  { rootMargin: "600px" },
);
const watch = () => document.querySelectorAll("a.next").forEach((link) => near.observe(link));
watch();
const show = (text, address, push) => {
  const next = new DOMParser().parseFromString(text, "text/html");
  document.querySelector("main").replaceWith(next.querySelector("main"));
  document.title = next.title;
  history[push ? "pushState" : "replaceState"](null, "", address);
  shown = here();
  ahead.clear();
  near.disconnect();
  watch();
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.next");
  const text = link && ahead.get(link.href);
  if (!text || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(text, link.href, true);
  const main = document.querySelector("main");
  main.tabIndex = -1;
  main.focus();
  (document.getElementById(location.hash.slice(1)) ?? document.body).scrollIntoView();
});

// Where results are shown, they follow what is typed.
const find = document.getElementById("find");
let typed = 0;
find?.addEventListener("input", () => {
  if (!document.querySelector(".results")) return;
  const number = ++typed;
  setTimeout(async () => {
    if (number !== typed) return;
    const values = [...new FormData(find)].filter(([, value]) => value !== "");
    const address = `${find.getAttribute("action")}?${new URLSearchParams(values)}`;
    const answer = await fetch(address);
    if (number === typed && answer.ok) show(await answer.text(), address, false);
  }, 200);
});
// A place within what is shown is gone to by the browser itself.
addEventListener("popstate", () => here() === shown || location.reload());

// Keys: / goes to the search, j and k to the next and last result or turn, n and p to the next and last hit.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = (by) => {
    const stops = [...document.querySelectorAll(".hits h2 a, .hits a.title, .turn")];
    const at = stops.findIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
    const next = stops[at < 0 ? 0 : Math.min(Math.max(at + by, 0), stops.length - 1)];
    if (!next) return;
    if (!next.hasAttribute("href")) next.tabIndex = -1;
    next.focus();
  };
  const does = {
    "/": () => document.getElementById("q")?.focus(),
    j: () => step(1),
    k: () => step(-1),
    n: () => document.querySelector("a.hit-after, a.next")?.click(),
    p: () => document.querySelector("a.hit-before")?.click(),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
