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
const kept = (page) => [...(page.getElementById("find")?.querySelectorAll("input[type=hidden]") ?? [])];
const show = (text, address, push) => {
  const next = new DOMParser().parseFromString(text, "text/html");
  const link = document.activeElement.closest("main a")?.getAttribute("href");
  kept(document).forEach((each) => each.remove());
  document.getElementById("find")?.append(...kept(next));
  for (const part of ["main", ".top nav"]) document.querySelector(part).replaceWith(next.querySelector(part));
  // who has gone to a result by key stays there
  [...document.querySelectorAll("main a")].find((each) => each.getAttribute("href") === link)?.focus();
  document.title = next.title;
  history[push ? "pushState" : "replaceState"](null, "", address);
  shown = here();
  ahead.clear();
  near.disconnect();
  watch();
  watchEdges();
};
const focusable = (part) => Object.assign(part, { tabIndex: -1 });
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.next");
  const text = link && ahead.get(link.href);
  if (!text || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(text, link.href, true);
  focusable(document.querySelector("main")).focus();
  (document.getElementById(location.hash.slice(1)) ?? document.body).scrollIntoView();
});

// Results follow what is typed, on every page; Enter shows them at once. Each time somebody begins to type is a step back.
const find = document.getElementById("find");
let asking = new AbortController();
let begun = false;
const seek = (milliseconds) => {
  asking.abort();
  const { signal } = (asking = new AbortController());
  const address = new URL(find.action);
  address.search = new URLSearchParams([...new FormData(find)].filter(([, value]) => value !== ""));
  // what is shown is asked for again only where its counts were given up
  if (address.pathname + address.search === here() && !document.querySelector(".facets[inert]")) return;
  setTimeout(async () => {
    if (signal.aborted) return;
    const ask = (part) =>
      fetch(address, { signal, headers: { "x-vcontract-part": part } }).then((answer) => answer.text()).catch(() => null);
    const text = await ask("results");
    if (signal.aborted) return;
    if (text === null) return lost();
    const counts = document.querySelector(".facets");
    show(text, address.href, !begun);
    begun = true;
    // the counts of before stay until those of now are there, but nothing is chosen by them
    const waiting = counts && document.querySelector(".facets");
    if (waiting) waiting.replaceWith(Object.assign(counts, { inert: true }));
    // counts are asked for when the results are there: those of words half typed are never counted
    const counted = await ask("facets");
    if (signal.aborted) return;
    if (counted === null) return lost();
    const next = new DOMParser().parseFromString(counted, "text/html");
    for (const part of [".facets", ".columns .chips"]) {
      const fresh = next.querySelector(part);
      if (fresh) document.querySelector(part)?.replaceWith(fresh);
    }
  }, milliseconds);
};
find?.addEventListener("focusin", () => (begun = false));
find?.addEventListener("input", () => seek(150));
find?.addEventListener("submit", (event) => {
  event.preventDefault();
  document.activeElement.blur();
  seek(0);
});

// A filter or an order shows its results in place; the sheet of filters stays open.
document.addEventListener("click", async (event) => {
  const link = event.target.closest(".columns :is(.facet, .chip.on, .sort a)");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  asking.abort();
  const { signal } = (asking = new AbortController());
  const text = await fetch(link.href, { signal }).then((answer) => answer.text()).catch(() => null);
  if (signal.aborted) return;
  if (text === null) return lost();
  const isOpen = document.getElementById("filters")?.checked;
  show(text, link.href, true);
  const sheet = document.getElementById("filters");
  if (sheet && isOpen) sheet.checked = true;
  (isOpen ? sheet : focusable(document.querySelector("main"))).focus({ preventScroll: isOpen });
});

// One line that is read aloud, and goes.
const say = (text) => {
  document.querySelector(".told")?.remove();
  const told = Object.assign(document.createElement("p"), { className: "told", textContent: text });
  told.setAttribute("role", "status");
  (document.querySelector("dialog[open]") ?? document.body).append(told);
  setTimeout(() => told.remove(), 4000);
};

// Copies: of a conversation in a form, and of the link to a turn.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.copy, a.here");
  if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const whole = link.matches(".copy");
  if (whole) event.preventDefault();
  const fetched = () => fetch(link.href).then((answer) => (answer.ok ? answer.text() : Promise.reject(answer)));
  const copied = whole ? fetched() : Promise.resolve(link.href);
  await copied.then((text) => navigator.clipboard.writeText(text)).then(
    () => say(whole ? "Copied" : "Link copied"),
    () => whole && location.assign(link.href),
  );
});

// A long conversation: turns come as one scrolls near them, and those far away go.
const MOST_TURNS = 600;
const edges = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => extend(entry.target)),
  { rootMargin: "1000px" },
);
const watchEdges = () => document.querySelectorAll(".ends a:not([hidden])").forEach((link) => edges.observe(link));
async function extend(link) {
  edges.unobserve(link);
  const part = link.closest("section");
  const turns = part.querySelector(".flow");
  const { href } = link;
  const text = await fetch(href).then((answer) => (answer.ok ? answer.text() : null)).catch(() => null);
  if (text === null) return;
  // the other end may have grown meanwhile, so that these turns are no longer next to those shown
  if (link.href !== href) return watchEdges();
  const page = new DOMParser().parseFromString(text, "text/html");
  const found = page.getElementById(part.getAttribute("aria-labelledby"))?.closest("section");
  if (!found) return;
  const fresh = [...found.querySelectorAll(".flow > div")].filter((each) => !document.getElementById(each.querySelector(".turn").id));
  const down = link.rel === "next";
  turns[down ? "append" : "prepend"](...fresh);
  while (turns.children.length > MOST_TURNS) turns[down ? "firstElementChild" : "lastElementChild"].remove();
  let day = "";
  for (const each of turns.querySelectorAll(".day")) each.textContent === day ? each.remove() : (day = each.textContent);
  const number = (each) => Number(each.querySelector(".turn").id.split("-").pop());
  const first = number(turns.firstElementChild);
  const after = number(turns.lastElementChild) + 1;
  const set = (rel, from, hidden) => {
    const place = part.querySelectorAll(":scope > .ends")[rel === "prev" ? 0 : 1];
    if (!place.firstElementChild) {
      const text = rel === "prev" ? "Earlier turns" : "Further turns";
      place.append(Object.assign(document.createElement("a"), { rel, textContent: text }));
    }
    const edge = place.firstElementChild;
    const address = new URL(link.href);
    address.searchParams.set("from", from);
    Object.assign(edge, { href: address.href, hidden });
  };
  set("prev", Math.max(0, first - 200), first === 0);
  set("next", after, after >= Number(part.dataset.total));
  watchEdges();
}
watchEdges();

// Files and folders that are dropped or chosen are sent one by one, then imported.
const drop = document.querySelector(".drop");
async function* within(entry) {
  if (entry.isFile) yield [entry.fullPath.slice(1), await new Promise((take, fail) => entry.file(take, fail))];
  if (!entry.isDirectory) return;
  const reader = entry.createReader();
  for (let more; (more = await new Promise((take, fail) => reader.readEntries(take, fail))).length; )
    for (const each of more) yield* within(each);
}
async function* chosen(files) {
  for (const file of files) yield [file.webkitRelativePath || file.name, file];
}
async function* dropped(entries) {
  for (const entry of entries) yield* within(entry);
}
async function sendAll(files) {
  const [status, stop] = drop.querySelectorAll("[role=status], p:has(button)");
  const sending = new AbortController();
  stop.hidden = false;
  stop.firstElementChild.onclick = () => sending.abort();
  let sent = 0;
  try {
    for await (const [name, body] of files) {
      const headers = { "x-vcontract-change": drop.elements.change.value };
      const address = `${drop.dataset.files}?${new URLSearchParams({ name })}`;
      const answer = await fetch(address, { method: "POST", body, headers, signal: sending.signal });
      if (!answer.ok) throw new Error(new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("h1")?.textContent);
      status.textContent = `Sent ${(sent += 1).toLocaleString("en")} files`;
    }
    if (sent) drop.requestSubmit();
  } catch (error) {
    status.textContent = sending.signal.aborted ? "Cancelled; nothing was imported." : `Not sent: ${error.message}`;
    stop.hidden = true;
    const body = new URLSearchParams({ change: drop.elements.change.value });
    await fetch(drop.action.replace("begin", "cancel"), { method: "POST", body });
  }
}
drop?.addEventListener("change", (event) => sendAll(chosen([...event.target.files])));
for (const name of ["dragover", "dragleave", "drop"])
  drop?.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", name === "dragover");
    if (name !== "drop") return;
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    sendAll(entries.length ? dropped(entries) : chosen([...event.dataTransfer.files]));
  });

// While an import runs or passages wait to be embedded, the page follows it.
const every = () => 1000 * (document.querySelector("[data-running]")?.dataset.running || 1);
const follow = async () => {
  if (!document.querySelector("[data-running]")) return;
  if (document.hidden) return setTimeout(follow, every());
  const answer = await fetch(location.href).catch(() => null);
  if (!answer) return lost();
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!next.querySelector("[data-running]")) return location.reload();
  document.querySelector("[data-running]").replaceWith(next.querySelector("[data-running]"));
  setTimeout(follow, every());
};
setTimeout(follow, every());

// Entries of clients are copied.
for (const button of document.querySelectorAll(".copies")) {
  button.hidden = false;
  const text = button.closest("details").querySelector("pre").textContent;
  button.onclick = () => navigator.clipboard.writeText(text).then(() => say("Copied"));
}

// What says that the server is gone: what was on the page stays.
const lost = () => {
  if (document.querySelector("dialog.notice")) return say("Still no answer");
  const box = document.createElement("dialog");
  box.className = "notice";
  box.append(
    Object.assign(document.createElement("h1"), { textContent: "The server does not answer." }),
    Object.assign(document.createElement("p"), { textContent: "Start it again with vcontract browse, and open the address that it prints." }),
    Object.assign(document.createElement("a"), { href: location.href, textContent: "Try again" }),
  );
  document.body.append(box);
  box.showModal();
};

// Links, forms and Back leave the page only for a server that answers.
const script = document.currentScript.src;
const leave = (go) => {
  asking.abort();
  fetch(script, { method: "HEAD", cache: "no-store" }).then((answer) => (answer.ok ? go() : lost()), lost);
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const to = new URL(link.getAttribute("href"), location.href);
  if (to.origin !== location.origin || (to.hash && to.pathname + to.search === here())) return;
  event.preventDefault();
  leave(() => location.assign(to));
});
let leaving = null;
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target === leaving) return;
  event.preventDefault();
  leave(() => {
    leaving = event.target;
    leaving.requestSubmit(event.submitter);
    leaving = null;
  });
});
// A place within what is shown is gone to by the browser itself.
addEventListener("popstate", () => here() === shown || leave(() => location.reload()));

// Keys: / goes to the search, j and k to the next and last result or turn, n and p to the next and last hit.
document.addEventListener("keydown", (event) => {
  const sheet = document.getElementById("filters");
  if (event.key === "Escape" && sheet?.checked) {
    sheet.checked = false;
    return sheet.focus();
  }
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
