"use strict";
// What the keyboard does: / goes to the search, j and k to the next and last hit or turn, n to the next page.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = (by) => {
    const stops = [...document.querySelectorAll(".hits h2 a, .turn")];
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
    n: () => document.querySelector("a.next")?.click(),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
