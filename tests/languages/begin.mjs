// Begins with an empty store as a person does: drops a zip onto the page, and connects a client; prints what it saw as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, address, zip } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
const here = new URL(address).origin;
const messages = [];
page.on("console", (message) => messages.push(message.text()));
page.on("pageerror", (error) => messages.push(error.message));
await page.goto(address);
await page.waitForURL(`${here}/import`);
const navigation = await page.locator("nav[aria-label=Views] a").allInnerTexts();

const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const violations = [];
const overflows = [];
async function check(place) {
  for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
    if (await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)) overflows.push(`${place} ${width}`);
    await page.evaluate(axe);
    const { violations: found } = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const { id, nodes } of found) for (const { target } of nodes) violations.push(`${place} ${width}: ${id} at ${target}`);
  }
}
await check("empty");

// A drop, as the browser does it: a file in a data transfer.
const transfer = await page.evaluateHandle(
  ([bytes]) => {
    const given = new DataTransfer();
    given.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], "calls.zip"));
    return given;
  },
  [readFileSync(zip).toString("base64")],
);
await page.dispatchEvent(".drop", "drop", { dataTransfer: transfer });
await page.waitForSelector("h2:has-text('Imported.')", { timeout: 60000 });
await page.waitForLoadState();
const row = await page.locator("tbody tr:first-child > *").allTextContents();
await check("imported");
await page.goto(`${here}/`);
const told = await page.locator(".status").innerText();

await page.goto(`${here}/import`);
await page.click("summary:has-text('Cursor')");
await page.locator("details[open] [name=sure]").check();
await page.locator("details[open] button:has-text('Write')").click();
await page.waitForSelector("text=Wrote");

// The operator adds and removes a webhook, and creates a token, by the keyboard alone.
await page.goto(`${here}/admin`);
await check("admin");
const type = async (selector, text) => {
  await page.focus(selector);
  await page.keyboard.type(text);
};
await type("[name=url]", "https://hooks.example/a");
await page.keyboard.press("Enter");
await page.waitForSelector(".told-here:has-text('Added the webhook')");
await page.waitForLoadState();
await check("secret");
await page.focus("tr [name=sure]");
await page.keyboard.press("Space");
await page.keyboard.press("Tab");
await page.keyboard.press("Enter");
await page.waitForSelector(".told-here:has-text('Removed the webhook')");
await type("form:has([value=create-token]) [name=name]", "laptop");
await page.keyboard.press("Enter");
await page.waitForSelector(".told-here:has-text('Created the token laptop.')");
const token = await page.locator(".told-here + pre").innerText();
console.log(JSON.stringify({ token, messages, navigation, violations, overflows, row, told }));
await browser.close();
