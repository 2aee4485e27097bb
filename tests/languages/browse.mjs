// Looks at the page of `vcontract browse` as a person does, and prints what it saw as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, address, uuid, long, captured } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const here = new URL(address).origin;
const messages = [];
const elsewhere = [];
const overflows = [];
const cut = [];

async function looking(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("dialog", (dialog) => messages.push(dialog.message()));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(here) && !url.startsWith("data:")) elsewhere.push(url);
  });
  return { context, page };
}

const { context, page } = await looking({ viewport: { width: 1280, height: 900 } });
await page.goto(address);
await page.waitForURL(`${here}/`);
await page.keyboard.press("/");
await page.keyboard.type("refund");
await page.waitForURL(`${here}/?q=refund`);
const followed = await page.evaluate(() => document.activeElement.id);
await page.keyboard.press("Enter");
await page.waitForFunction(() => document.activeElement === document.body);
await page.waitForSelector(".facets:not([inert])");
const marked = await page.locator(".rows > li > :not(details) mark").allTextContents();
await page.keyboard.press("j");
const focused = await page.evaluate(() => document.activeElement.textContent);
await page.keyboard.press("Enter");
await page.waitForURL(/vcon/);
const turns = await page.locator("[id^=dialog-] .said .words").allTextContents();
await page.fill("[name=key]", "mood");
await page.fill("[name=value]", "glad");
await page.click("text=Set");
await page.waitForSelector("text=mood=glad");
await page.click("[aria-label='Remove the tag mood']");
await page.waitForSelector("text=mood=glad", { state: "detached" });
await page.click("text=Undo");
await page.waitForSelector("text=mood=glad");

await page.goto(`${here}/contract/bridge_capture`);
await page.fill("textarea", JSON.stringify(captured));
await page.click("main form button");
await page.waitForSelector("text=The answer");
await page.goto(`${here}/journal`);
await page.keyboard.press("j");
await page.keyboard.press("Enter");
await page.waitForURL(/journal\/src_/);
const record = new URL(page.url()).pathname;

await page.goto(`${here}/vcon/${uuid}`);
const unseen = [];
for (let stop = 0; stop < 25; stop += 1) {
  await page.keyboard.press("Tab");
  const seen = await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement);
    return document.activeElement === document.body || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  });
  if (!seen) unseen.push(await page.evaluate(() => document.activeElement.outerHTML));
}

const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const violations = [];
async function check(place) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() =>
    axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      rules: { "target-size": { enabled: true } },
    }),
  );
  for (const { id, nodes } of found) for (const { target } of nodes) violations.push(`${place}: ${id} at ${target}`);
}

// What goes on beyond its edge shows that it does: it fades, or has a shadow or an ellipsis there.
const unmarked = () => page.evaluate(() => {
  document.querySelectorAll("details").forEach((each) => (each.open = true));
  return [...document.querySelectorAll("main *:not(pre, input, textarea)")].filter((each) => {
    const style = getComputedStyle(each);
    const goesOn = style.overflowX !== "visible" && each.scrollWidth > each.clientWidth;
    return goesOn && style.maskImage === "none" && style.backgroundImage === "none";
  }).map((each) => each.textContent.slice(0, 80));
});

const paths = ["/", "/?q=refund", `/vcon/${uuid}`, `/vcon/${uuid}/raw`, record, `/manage?id=${uuid}`, "/import", "/admin", "/evidence", "/evidence?q=refund", "/journal", "/journal?q=refund", "/nope", "/store", "/store/calls?since=2024-01-01&until=2024-01-07&said=refund", "/store/graph", "/store/map", "/store/size", "/contract", "/contract/vcon_search"];
// Contrast depends on the scheme and overflow on the width; two of the four combinations show both.
for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  for (const path of paths) {
    await page.goto(here + path);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) overflows.push(`${path} ${width}`);
    cut.push(...(await unmarked()).map((text) => `${path} ${width}: ${text}`));
    await check(`${path} ${width} ${colorScheme}`);
  }
}

// Of a long conversation only what is near is in the page, whichever way one scrolls.
await page.setViewportSize({ width: 1280, height: 800 });
await page.goto(`${here}/vcon/${long}?find=Turn+9200.`);
const jumped = { place: new URL(page.url()).hash, marked: await page.locator(".hit mark").allTextContents() };
const stretch = page.locator(".overview a").last();
const reached = new URL(await stretch.getAttribute("href"), page.url()).searchParams.get("at");
await stretch.click();
await page.waitForURL((url) => url.searchParams.get("at") === reached);
const numbers = () => page.locator("[id^=dialog-].turn").evaluateAll((turns) => turns.map((turn) => Number(turn.id.slice(7))));
jumped.last = (await numbers()).at(-1);
await page.goto(`${here}/vcon/${long}`);
const most = { down: 0, up: 0, nodes: 0 };
async function until(link, number, way) {
  for (let shown = []; !shown.includes(number); shown = await numbers()) {
    await page.evaluate((name) => document.querySelector(`.ends a[rel=${name}]`)?.scrollIntoView(), link);
    most[way] = Math.max(most[way], shown.length);
    most.nodes = Math.max(most.nodes, await page.evaluate(() => document.querySelectorAll("*").length));
  }
}
await until("next", 1499, "down");
const end = await numbers();
await until("prev", 0, "up");
const begin = await numbers();
const inOrder = [end, begin].every((each) => each.every((number, place) => number === each[0] + place));
const windowed = { ...most, inOrder, jumped, ends: [end.includes(1499), begin[0]] };

// A conversation is copied.
await context.grantPermissions(["clipboard-read", "clipboard-write"]);
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
await page.goto(`${here}/vcon/${uuid}`);
await page.click("[aria-label='Copy as Markdown']");
await page.waitForSelector(".told >> text=Copied");
const copied = [await clipboard()];
await page.click("#dialog-0 a.here");
await page.waitForSelector(".told >> text=Link copied");
copied.push(await clipboard());

// The next page takes the place of this one, its address is that of the page, and one goes back.
await page.goto(`${here}/`);
await page.locator("a.next").scrollIntoViewIfNeeded();
await page.waitForFunction(() => [...ahead.values()].some(Boolean));
let loads = 0;
page.on("load", () => (loads += 1));
await page.click("a.next");
await page.waitForURL(/cursor=/);
const further = { loads, shown: await page.locator(".hits > li").count(), focused: await page.evaluate(() => document.activeElement.id) };
await page.goBack();
await page.waitForSelector("a.next");

// A selection of results is tagged at once.
await page.goto(`${here}/?q=refund`);
await page.locator(".pick").first().check();
await page.click(".manage button");
await page.fill("form:has([value=tag]) [name=key]", "picked");
await page.click("text=Add to all");
const managed = await page.locator(".told-here").innerText();
await page.click("text=Undo");
await page.waitForSelector(".told-here:has-text('Undone')");
const undone = await page.locator(".told-here").innerText();

// On a phone filters are a sheet: it stays while a filter is set, with the counts of what is left.
await page.setViewportSize({ width: 360, height: 740 });
await page.goto(`${here}/`);
await page.focus("#filters");
await page.keyboard.press("Space");
const facets = () => page.locator(".facet .count").allInnerTexts();
const sheet = { before: await facets() };
await check("sheet 360");
await page.locator("section[aria-labelledby=by-party] .facet").first().press("Enter");
await page.waitForURL(/party=/);
sheet.after = await facets();
sheet.open = await page.locator(".facets").isVisible();
sheet.chosen = await page.locator(".chip.on").count();
await page.fill("#q", "refund");
await page.waitForURL(/(?=.*party=)(?=.*q=refund)/);
await page.goBack();
const reloaded = () =>
  page.waitForFunction(() => performance.getEntriesByType("navigation")[0].type === "reload" && document.readyState === "complete");
await reloaded();
await page.focus("#filters");
await page.keyboard.press("Space");
await page.keyboard.press("Escape");
sheet.closed = !(await page.locator(".facets").isVisible());
await page.setViewportSize({ width: 1280, height: 900 });

// Where the server is gone, words say so and what was on the page stays, whatever one does.
const gone = [];
for (const act of [
  () => page.fill("#q", "kettle"),
  () => page.locator(".hits h2 a").first().click(),
  () => page.locator(".facet").first().click(),
  () => page.click(".manage button"),
  () => page.goBack(),
]) {
  await page.goto(`${here}/?q=refund`);
  await page.fill("#q", "refund.");
  await page.waitForURL(/q=refund\./);
  await page.waitForSelector(".facets:not([inert]) .facet");
  await page.route("**/*", (route) => route.abort());
  await act();
  await page.waitForSelector("dialog.notice >> text=The server does not answer.");
  await page.click("text=Try again");
  await page.waitForSelector("text=Still no answer");
  gone.push(await page.locator(".hits > li").count());
  await page.unroute("**/*");
}
messages.splice(0, messages.length, ...messages.filter((text) => !text.includes("ERR_FAILED")));
await page.goto(`${here}/`);

// Each time somebody begins to type is a step back; the rest of the words is not.
await page.fill("#q", "refund");
await page.waitForURL(/q=refund/);
await page.fill("#q", "nothing of the kind");
await page.waitForURL(/q=nothing/);
await page.goBack();
await reloaded();
await page.goto(`${here}/vcon/${long}?part=dialog`);
// A place within the page is gone to without loading it again.
await page.evaluate(() => (window.stays = true));
await page.click("nav.parts a[href$='#dialog']");
const stays = await page.evaluate(() => location.hash === "#dialog" && window.stays === true);

const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
const still = await plain.newPage();
await still.goto(`${here}/vcon/${uuid}`);
const withoutScript = { turns: await still.locator("[id^=dialog-] .said .words").count() };
await still.goto(`${here}/`);
await still.fill("#q", "refund");
await still.press("#q", "Enter");
await still.waitForURL(/q=refund/);
withoutScript.hits = await still.locator(".hits > li").count();
await still.locator(".rows summary").first().click();
await still.locator(".hits .turn a").first().click();
await still.waitForURL(/vcon/);
withoutScript.place = new URL(still.url()).hash;
for (const path of ["/store", "/evidence?q=refund", "/journal", "/contract"]) {
  await still.goto(here + path);
  withoutScript[path] = await still.locator("main").innerText();
}

const stranger = await looking({});
const refused = (await stranger.page.goto(`${here}/`)).status();
messages.splice(0, messages.length, ...messages.filter((text) => !text.includes("403") && !text.includes("404")));
console.log(JSON.stringify({ marked, followed, focused, turns, messages, elsewhere, overflows, cut, unseen, violations, further, windowed, copied, managed, undone, sheet, gone, stays, withoutScript, refused }));
await browser.close();
