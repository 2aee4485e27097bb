// Tries the form of each tool on the page of `vcontract browse`, on a phone, and prints what came as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, address, required } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const here = new URL(address).origin;
const context = await browser.newContext({ viewport: { width: 375, height: 800 } });
const page = await context.newPage();
const messages = [];
page.on("console", (message) => messages.push(`${page.url()}: ${message.text()}`));
page.on("pageerror", (error) => messages.push(`${page.url()}: ${error.message}`));

const overflows = [];
const unlabelled = [];
async function look(place) {
  const { over, without } = await page.evaluate(() => {
    document.querySelectorAll("details").forEach((each) => (each.open = true));
    const fields = [...document.querySelectorAll("main input:not([type=hidden]), main textarea, main select")];
    return {
      over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      without: fields.filter((each) => each.labels.length === 0).map((each) => each.outerHTML),
    };
  });
  if (over > 0) overflows.push(`${place} by ${over}`);
  unlabelled.push(...without.map((each) => `${place}: ${each}`));
}

async function call() {
  const form = "form:has(#arguments)";
  await Promise.all([page.waitForEvent("load"), page.click(`${form} button`)]);
  const answer = page.locator(`${form} + h3 + pre`);
  if ((await answer.count()) === 0) return { told: await page.locator("main").innerText() };
  return { is_error: (await page.locator(`${form} + h3`).innerText()) === "An error", answer: JSON.parse(await answer.innerText()) };
}

await page.goto(address);
await page.waitForURL(`${here}/`);
await page.goto(`${here}/contract`);
const names = await page.locator("#tools th a").allInnerTexts();
const tried = {};
for (const name of names) {
  await page.goto(`${here}/contract/${name}?example=0`);
  await look(name);
  const example = JSON.parse(await page.inputValue("#arguments"));
  tried[name] = { example: await call() };
  await look(`${name} answered`);
  if (required[name] !== undefined) {
    await page.fill("#arguments", JSON.stringify({ ...example, [required[name]]: null }));
    tried[name].emptied = await call();
  }
}
console.log(JSON.stringify({ tried, messages, overflows, unlabelled }));
await browser.close();
