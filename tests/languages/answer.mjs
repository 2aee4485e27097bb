// Asks for an answer that a model writes while one reads, and prints what was seen as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, address, model } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
const here = new URL(address).origin;
const messages = [];
page.on("console", (message) => messages.push(message.text()));
page.on("pageerror", (error) => messages.push(error.message));
page.on("dialog", (dialog) => messages.push(dialog.message()));
await page.goto(address);
await page.waitForURL(`${here}/`);
await page.goto(`${here}/evidence`);
await page.fill("#evidence-q", "who wants a refund?");
await page.click("text=Ask for an answer");
const look = async () => ({
  sentences: await page.locator(".answer p:has(sup)").count(),
  busy: await page.locator(".answer .busy").isVisible(),
  turns: await page.locator(".hits .turn").count(),
});
await page.locator(".answer p:has(sup)").first().waitFor();
const early = await look();
await fetch(`${model}/open`);
await page.locator(".answer .end").waitFor();
await page.waitForLoadState();
const after = await look();

const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const violations = [];
const overflows = [];
for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  if (await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)) overflows.push(width);
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const { id, nodes } of found) for (const { target } of nodes) violations.push(`${width}: ${id} at ${target}`);
}
await page.locator(".answer sup a").first().click();
await page.waitForURL(/vcon/);
console.log(JSON.stringify({ messages, violations, overflows, while: early, after, place: new URL(page.url()).hash }));
await browser.close();
