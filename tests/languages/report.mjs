// Opens a page in Chromium, follows steps that come on stdin as JSON, and prints what it saw as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, page: url, visits } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const seen = [];
for (const { hash = "", width = 1280, height = 900, scheme = "light", search = null, keys = [] } of visits) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  const messages = [];
  const requests = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(url + hash);
  if (search !== null) await page.fill("#search", search);
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForLoadState("networkidle");
  seen.push({
    messages,
    requests: requests.filter((each) => each.split("#")[0] !== url),
    ...(await page.evaluate(() => {
      const shown = (element) => element.getClientRects().length > 0;
      const names = (selector) => [...document.querySelectorAll(selector)].filter(shown).map((each) => each.id);
      const luminance = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
      return {
        entries: names("[data-words]"),
        opened: names("[data-words][open]"),
        inView: names("[data-words]").filter((id) => {
          const box = document.getElementById(id).getBoundingClientRect();
          return box.top >= 0 && box.top < innerHeight;
        }),
        links: [...document.querySelectorAll("[data-for]")].filter(shown).map((each) => each.dataset.for),
        status: document.querySelector('[role="status"]').textContent,
        focused: document.activeElement.id || document.activeElement.tagName,
        overflow: document.documentElement.scrollWidth - innerWidth,
        brightness: luminance(getComputedStyle(document.body).backgroundColor),
        injected: window.injected ?? null,
      };
    })),
  });
  await context.close();
}
await browser.close();
process.stdout.write(JSON.stringify(seen));
