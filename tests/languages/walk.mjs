// Walks the page over real conversations, once in light and wide and once in dark and narrow, and prints what it saw as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, address, pictures } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const here = new URL(address).origin;
const messages = [];
const elsewhere = [];
const overflows = [];
const page = await (await browser.newContext()).newPage();
page.on("console", (message) => messages.push(message.text()));
page.on("pageerror", (error) => messages.push(error.message));
page.on("request", (request) => {
  const url = request.url();
  if (!url.startsWith(here) && !url.startsWith("data:")) elsewhere.push(url);
});
await page.goto(address);
await page.waitForURL(`${here}/`);

async function walk(colorScheme, width) {
  const seen = {};
  const look = async (name) => {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) overflows.push(`${name} ${width}`);
    if (pictures) await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-${width}.png` });
  };
  const count = (selector) => page.locator(selector).count();
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });

  await page.goto(`${here}/`);
  await page.fill("#q", "refund");
  await page.press("#q", "Enter");
  await page.waitForURL(/q=refund/);
  seen.marks = new Set((await page.locator("mark").allTextContents()).map((text) => text.toLowerCase()));
  seen.marks = [...seen.marks].filter((text) => !text.startsWith("refund"));
  await look("search");
  if (width < 700) await page.click("label[for=filters]");
  await page.locator("section[aria-labelledby=by-month] a.facet").first().click();
  await page.waitForURL(/since=/);
  seen.filters = await count("a.chip.on");
  seen.found = await count(".hits > li");
  await look("filter");
  if (width < 700) await page.click(".facets .done");
  await page.locator(".hits h2 a").first().click();
  await page.waitForURL(/vcon/);
  seen.turns = await count(".turn");
  await look("read");
  await page.fill("[name=key]", "looked");
  await page.fill("[name=value]", colorScheme);
  await page.click("text=Set");
  await page.waitForSelector(`text=looked=${colorScheme}`);
  await page.click("[aria-label='Remove the tag looked']");
  await page.waitForSelector(`text=looked=${colorScheme}`, { state: "detached" });

  await page.goto(`${here}/?tag=harness%3Dclaude-code`);
  seen.sessions = await count(".hits > li");
  await page.goto(`${here}/store`);
  seen.bars = await count("svg .bar");
  await look("plots");
  await page.goto(`${here}/store/graph`);
  seen.names = await count("table tbody tr");
  await look("graph");
  await page.goto(`${here}/store/map`);
  await page.waitForSelector(".points a", { timeout: 60000 });
  seen.points = await count(".points a");
  await look("map");
  await page.locator(".points a").first().dispatchEvent("click");
  await page.waitForURL(/vcon/);
  await page.goto(`${here}/journal`);
  await page.click(".hits a.title");
  await page.waitForURL(/journal\/src_/);
  await look("journal");
  await page.goto(`${here}/contract/vcon_search`);
  await page.click("main form button");
  await page.waitForSelector("text=The answer");
  await look("form");
  return seen;
}

const walks = [await walk("light", 1280), await walk("dark", 390)];
console.log(JSON.stringify({ walks, messages, elsewhere, overflows }));
await browser.close();
