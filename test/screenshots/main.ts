// Owns `npm run screenshots`: drives the built product in Chromium and writes the pictures of README
// and docs. They have the same size every time, show no token, and are small.

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { Place, Product } from "../support/product.ts";
import type { View } from "./views.ts";
import { DESK_SIZE, MAX_BYTES, PHONE_SCALE, PHONE_SIZE } from "./views.ts";
import { makePlace, startAgent, startCodingAgent } from "./demo.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "docs", "images");

const DESK: BrowserContextOptions = { viewport: DESK_SIZE };
const PHONE: BrowserContextOptions = {
  viewport: PHONE_SIZE,
  deviceScaleFactor: PHONE_SCALE,
  hasTouch: true,
  isMobile: true,
};

const PROMPT = /\$ *$/;

mkdirSync(FOLDER, { recursive: true });
const browser = await startBrowser();
if (!browser) throw new Error("Chromium does not start here");
const place = makePlace();
try {
  await takeAll(browser, place, await place.start());
} finally {
  await place[Symbol.asyncDispose]();
  await browser.close();
}

async function takeAll(chromium: Browser, at: Place, product: Product): Promise<void> {
  const guest = await comeAs(chromium, product.ready.links.edit, "Guest", DESK);
  await guest.open();
  await run(guest, "clear", "ls", "git log --oneline", "cat sum.js", "node test.js");
  await guest.page.emulateMedia({ colorScheme: "light" });
  await take(guest, "light");
  await guest.page.emulateMedia({ colorScheme: "dark" });
  await take(guest, "dark");

  await guest.press("Alt+s");
  await guest.page.locator(".xterm").nth(1).waitFor();
  await guest.shows(PROMPT);
  await run(guest, "clear", "git show --stat HEAD~2");
  await take(guest, "split");
  await guest.press("Alt+Shift+X");

  const agent = await startAgent(at, product);
  await agent.call("spawn_background_terminal", {
    cwd: ".",
    command: ["node", "--watch", "test.js"],
  });
  await guest.page.getByRole("tab", { name: /--watch/ }).click();
  await guest.shows("Failed running");
  for (const command of ["git status --short", "git diff --stat", "cat sum.js"])
    await agent.call("bash", { command }).catch(() => undefined);

  // Answered by nobody: the picture is all that is wanted.
  const asking = agent.call("bash", { command: "git reset --hard HEAD~3" }).catch(() => undefined);
  await guest.page.locator(".question").waitFor();
  await guest.page.locator('.question-main button[aria-disabled="false"]').first().waitFor();
  await take(guest, "approval");
  await guest.page.locator(".question").getByRole("button", { name: "Deny", exact: true }).click();
  await asking;
  await guest.press("Alt+Shift+A");
  await guest.page.getByText("git reset --hard HEAD~3").first().waitFor();
  await take(guest, "agents");
  await agent.close();

  const coder = await startCodingAgent(at, product);
  try {
    await converse(guest);
    await take(guest, "conversation");
  } finally {
    coder.kill();
  }
  await guest.leave();
  await share(chromium, at);
  await phone(chromium, product);
}

async function converse(guest: Visitor): Promise<void> {
  const { page } = guest;
  await page.getByRole("tab", { name: /coder/ }).click();
  await page
    .getByRole("textbox", { name: "Message to coder" })
    .fill("Why does the test fail? Mend it.");
  await guest.press("Enter");
  const log = page.getByRole("log", { name: /^Conversation with/ });
  const allow = log.locator('.question-main button[aria-disabled="false"]', { hasText: "Allow" });
  const done = log.getByText("the test passes");
  while (!(await done.isVisible())) {
    await allow.or(done).first().waitFor();
    if (await done.isVisible()) return;
    await allow.first().click();
  }
}

async function share(chromium: Browser, at: Place): Promise<void> {
  const made = await at.run(["share", "--may-share", "--role", "edit", "--json", ...at.code]);
  const { link }: { link: string } = JSON.parse(made.stdout);
  const host = await comeAs(chromium, link, "Host", DESK);
  const other = await comeAs(chromium, link, "Guest", DESK);
  await host.shows(PROMPT);
  await host.press("Alt+u");
  await host.page.getByText("Invite someone").waitFor();
  await take(host, "share");
  await other.leave();
  await host.leave();
}

async function phone(chromium: Browser, product: Product): Promise<void> {
  const guest = await comeAs(chromium, product.ready.links.edit, "Guest", PHONE);
  await guest.shows(PROMPT);
  await guest.page.locator(".panel[data-active=true] .host").tap();
  await run(guest, "clear", "ls", "cat README.md", "node test.js");
  await take(guest, "phone");
  await guest.leave();
}

async function comeAs(
  chromium: Browser,
  link: string,
  name: string,
  options: BrowserContextOptions,
): Promise<Visitor> {
  const visitor = await Visitor.come(chromium, link, { colorScheme: "dark", ...options });
  await visitor.status("Live");
  const field = visitor.page.getByRole("textbox", { name: /name/i });
  if (await field.isVisible()) {
    await field.fill(name);
    await visitor.press("Enter");
    await field.waitFor({ state: "hidden" });
  }
  return visitor;
}

/** One line after the other, each behind the prompt of the one before. */
async function run(visitor: Visitor, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    // On the screen first: a screen that is clear already would pass for a cleared one.
    await visitor.page.keyboard.insertText(line);
    await visitor.shows(new RegExp(`\\$ ${line}$`));
    await visitor.press("Enter");
    await visitor.shows(line === "clear" ? /^\S+ \$$/ : new RegExp(`${line}\\n[^]*\\$ *$`));
  }
}

async function take(visitor: Visitor, name: View): Promise<void> {
  const toasts = visitor.page.locator(".toast button");
  while ((await toasts.count()) > 0) await toasts.first().click();
  const path = join(FOLDER, `${name}.png`);
  await visitor.page.screenshot({ path, animations: "disabled" });
  const { size } = statSync(path);
  process.stdout.write(`${name}.png ${Math.round(size / 1000)} KB\n`);
  if (size > MAX_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MAX_BYTES}`);
}
