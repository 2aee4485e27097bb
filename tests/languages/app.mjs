// Plays the host of a view inside a chat, and prints what a person saw there as JSON.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { browser: executablePath, html, input, result, answers, follow, picture } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 700, height: 900 } });
const messages = [];
const elsewhere = [];
page.on("console", (message) => messages.push(message.text()));
page.on("pageerror", (error) => messages.push(error.message));
page.on("dialog", (dialog) => messages.push(dialog.message()));
page.on("request", (request) => { if (/^https?:/.test(request.url())) elsewhere.push(request.url()); });

await page.setContent("<!doctype html><iframe sandbox='allow-scripts' style='width: 100%; height: 100%; border: 0'></iframe>");
await page.evaluate(({ html, input, result, answers }) => {
  const frame = document.querySelector("iframe");
  const said = (window.said = []);
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  window.send = send;
  window.addEventListener("message", ({ data }) => {
    said.push(data);
    if (data.method === "ui/notifications/size-changed") frame.style.height = `${data.params.height}px`;
    if (data.method === "ui/initialize") {
      const hostContext = { theme: "dark", displayMode: "inline" };
      const hostInfo = { name: "host", version: "1" };
      send({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo, hostContext, hostCapabilities: { serverTools: {} } } });
    }
    if (data.method === "ui/notifications/initialized") {
      send({ method: "ui/notifications/tool-input", params: { arguments: input } });
      send({ method: "ui/notifications/tool-result", params: result });
    }
    if (data.method === "tools/call") send({ id: data.id, result: answers[data.params.name] });
  });
  frame.srcdoc = html;
}, { html, input, result, answers });

const view = page.frameLocator("iframe");
const answered = () => view.locator("main:not(:has([role=status]:text('Waiting')))").waitFor();
await answered();
const first = await view.locator("main").innerText();
if (follow) {
  const button = view.getByRole("button", { name: follow }).first();
  await button.click();
  await button.waitFor({ state: "detached" });
  await answered();
}
const second = await view.locator("main").innerText();
if (picture) await page.screenshot({ path: picture });
await page.evaluate(() => window.send({ id: "end", method: "ui/resource-teardown", params: { reason: "over" } }));
await page.waitForFunction(() => window.said.some((message) => message.id === "end"));
const said = await page.evaluate(() => window.said);
const scripts = await view.locator("main script, main img, main iframe, main a[href]").count();
console.log(JSON.stringify({ first, second, said, messages, elsewhere, scripts }));
await browser.close();
