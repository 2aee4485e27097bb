// Takes pictures of views of the page at two widths, light and dark: node screenshots.mjs BROWSER ADDRESS FOLDER full|empty [VIEW…]
import { chromium } from "playwright-core";

const [executablePath, address, folder, set, ...names] = process.argv.slice(2);
const question = "why was the refund blocked?";
const asks = (words) => new URLSearchParams({ q: words });
const views = {
  full: [
    ["search", `/?${asks("refund")}`],
    ["evidence", `/evidence?${asks(question)}`],
    ["conversation", async (page) => {
      await page.goto(`${here}/?${asks("refund blocked inspection")}`);
      return page.locator(".hits .turn:has(.avatar) a").first().getAttribute("href");
    }],
    ["store", "/store"],
    ["topics", "/store/map"],
    ["tool", "/contract/vcon_search"],
    ["not-found", "/vcon/01900000-0000-8000-8000-000000000000"],
  ],
  empty: [["first-steps", "/import"]],
}[set];
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
const here = new URL(address).origin;
await page.goto(address);
await page.waitForURL((url) => url.pathname !== "/enter");
for (const [name, place] of views.filter(([name]) => !names.length || names.includes(name)))
  for (const [width, height] of [[1280, 860], [360, 740]])
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const path = typeof place === "string" ? place : await place(page);
      await page.goto(here + path, { waitUntil: "networkidle" });
      if (name === "topics") await page.waitForSelector(".points a", { timeout: 60000 });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` });
    }
await browser.close();
