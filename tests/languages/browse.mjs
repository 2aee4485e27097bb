// Looks at the page of `vcontract browse` as a person does, and prints what it saw as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, address, uuid } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const here = new URL(address).origin;
const messages = [];
const elsewhere = [];
const overflows = [];

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
await page.keyboard.press("Enter");
await page.waitForURL(/q=refund/);
const marked = await page.locator("mark").allTextContents();
await page.keyboard.press("j");
const focused = await page.evaluate(() => document.activeElement.textContent);
await page.keyboard.press("Enter");
await page.waitForURL(/vcon/);
const turns = await page.locator(".turn .words").allTextContents();
await page.fill("[name=key]", "mood");
await page.fill("[name=value]", "glad");
await page.click("text=Set");
await page.waitForSelector("text=mood=glad");
await page.click("[aria-label='Remove the tag mood']");
await page.waitForSelector("text=mood=glad", { state: "detached" });

const paths = ["/", "/?q=refund", `/vcon/${uuid}`, `/vcon/${uuid}/raw`, "/store", "/store/graph", "/contract", "/contract/vcon_search"];
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 360]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const path of paths) {
      await page.goto(here + path);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (over > 0) overflows.push(`${path} ${width}`);
    }
  }
}

const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
const still = await plain.newPage();
await still.goto(`${here}/vcon/${uuid}`);
const withoutScript = await still.locator(".turn .words").count();

const stranger = await looking({});
const refused = (await stranger.page.goto(`${here}/`)).status();
messages.splice(0, messages.length, ...messages.filter((text) => !text.includes("403")));
console.log(JSON.stringify({ marked, focused, turns, messages, elsewhere, overflows, withoutScript, refused }));
await browser.close();
