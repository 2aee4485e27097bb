// Scrolls through a conversation as fast as the wheel turns: node scroll.mjs BROWSER ADDRESS PATH; prints what it took as JSON.
import { chromium } from "playwright-core";

const [executablePath, address, path] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
await page.addInitScript(() => {
  window.seen = { tasks: [], frames: [], nodes: 0, turns: 0 };
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((task) => Math.round(task.duration)))).observe({ type: "longtask", buffered: true });
  let last = 0;
  const frame = (now) => {
    if (last) seen.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
});
await page.goto(address);
await page.waitForURL((url) => url.pathname !== "/enter");
await page.goto(new URL(path, address).href);
const total = await page.evaluate(() => Number(document.querySelector("[data-total]").dataset.total));
await page.evaluate(() => { seen.tasks.length = seen.frames.length = 0; });
await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
const begun = Date.now();
await page.mouse.move(500, 500);
for (let last = 0; last < total - 1; ) {
  await page.mouse.wheel(0, 4000);
  last = await page.evaluate(() => {
    const turns = document.querySelectorAll("[id^=dialog-].turn");
    seen.turns = Math.max(seen.turns, turns.length);
    seen.nodes = Math.max(seen.nodes, document.querySelectorAll("*").length);
    return Number(turns[turns.length - 1].id.slice(7));
  });
}
const { tasks, frames, ...most } = await page.evaluate(() => seen);
const seconds = (Date.now() - begun) / 1000;
// what a task takes of the processor does not depend on what else the machine does
const { traceEvents } = JSON.parse(await browser.stopTracing());
const { pid, tid } = traceEvents.find(({ name }) => name === "Layout");
const cpu = traceEvents.filter((each) => each.pid === pid && each.tid === tid && each.name.endsWith("RunTask")).map(({ tdur }) => tdur / 1000);
const sorted = frames.sort((one, other) => one - other);
console.log(JSON.stringify({
  total,
  seconds,
  ...most,
  long_tasks: tasks.length,
  longest_task_ms: Math.max(0, ...tasks),
  longest_task_cpu_ms: Math.round(cpu.reduce((one, other) => Math.max(one, other || 0), 0)),
  frame_p99_ms: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
  longest_frame_ms: Math.round(sorted.at(-1) ?? 0),
}));
await browser.close();
