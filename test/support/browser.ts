// Owns the browser of the tests: Chromium from the package, unpacked once, and a visitor in it.
// A machine that cannot run it skips these tests, unless PAIRPTY_REQUIRE names the browser.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import chromiumPackage from "@sparticuz/chromium";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import type { Tab } from "./browser-tabs.ts";
import { openTab } from "./browser-tabs.ts";
import { isRequired } from "./required.ts";
import { PATIENCE_MS, until } from "./waiting.ts";

const MODULES = join(import.meta.dirname, "..", "..", "node_modules");
const CACHE = join(MODULES, ".cache", "pairpty");
/** Reading a whole scrollback costs the page something: seldom enough not to hold it up. */
const LOOK_MS = 50;
const NOWHERE = "about:blank";

/** Not the package's own flags: those turn web security off and run everything in one process. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** By their flags. Several test files share a process, and so its browsers, which end with it. */
const browsers = new Map<string, Promise<Browser | undefined>>();

export async function startBrowser(...flags: string[]): Promise<Browser | undefined> {
  const key = flags.join(" ");
  const known = await browsers.get(key);
  const browser = known?.isConnected() === true ? Promise.resolve(known) : launch(flags);
  browsers.set(key, browser);
  return await browser;
}

async function launch(flags: readonly string[]): Promise<Browser | undefined> {
  const required = isRequired("browser");
  try {
    return await chromium.launch({
      executablePath: await executable(),
      args: [...FLAGS, ...flags],
    });
  } catch (error) {
    if (required) throw error;
    const [reason] = String(error).split("\n");
    console.warn(`skipped: Chromium does not start here (${reason})`);
    return undefined;
  }
}

/** Unpacked into a folder of its own and renamed, by one of those who need it at the same time. */
async function executable(): Promise<string> {
  const manifest = readFileSync(join(MODULES, "@sparticuz", "chromium", "package.json"), "utf8");
  const folder = join(CACHE, `chromium-${JSON.parse(manifest).version}`);
  const path = join(folder, "chromium");
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const claim = `${folder}.unpacking`;
  if (!claims(claim)) {
    const isDone = () => existsSync(path) || !existsSync(claim);
    // One that was killed in the middle left its claim.
    await until("somebody else unpacked it", isDone).catch(() => undefined);
    if (existsSync(path)) return path;
  }
  const fresh = mkdtempSync(join(CACHE, "unpacking-"));
  const before = process.env.TMPDIR;
  // The package unpacks into the temporary folder, under a name that anybody can guess.
  process.env.TMPDIR = fresh;
  try {
    await chromiumPackage.executablePath();
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(fresh, { recursive: true, force: true });
    rmSync(claim, { recursive: true, force: true });
  }
  return path;
}

function claims(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** A person in a browser of their own. */
export class Visitor {
  readonly page: Page;
  /** What the console complained about; a page without faults has none. */
  readonly faults: string[] = [];
  /** Texts; what was rendered is told in binary. */
  readonly sent: string[] = [];
  readonly messages: string[] = [];
  /** Of all that its sockets were told, binary or not. */
  bytes = 0;
  sockets = 0;
  #tab: Tab | undefined;

  private constructor(tab: Tab) {
    const { page } = tab;
    this.page = page;
    this.#tab = tab;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(message.text());
    });
    page.on("websocket", (socket) => {
      this.sockets += 1;
      socket.on("framesent", ({ payload }) => {
        if (typeof payload === "string") this.sent.push(payload);
      });
      socket.on("framereceived", ({ payload }) => {
        this.bytes += payload.length;
        if (typeof payload === "string") this.messages.push(payload);
      });
    });
  }

  static async come(
    browser: Browser | undefined,
    link: string,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    if (!browser) throw new Error("no browser: this test should have been skipped");
    // Whoever begins nowhere prepares the page first.
    const visitor = new Visitor(await openTab(browser, options, link === NOWHERE));
    await visitor.page.goto(link);
    return visitor;
  }

  get isGone(): boolean {
    return this.#tab === undefined;
  }

  /** From here on the page may be somebody else's. */
  async leave(): Promise<void> {
    const tab = this.#tab;
    this.#tab = undefined;
    await tab?.leave();
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** A whole line comes as one input and Enter: key by key each would be drawn and sent alone. */
  async type(text: string): Promise<void> {
    const { keyboard } = this.page;
    if (!/^[^\p{Cc}]{2,}\n$/u.test(text)) return await keyboard.type(text);
    await keyboard.insertText(text.slice(0, -1));
    return await keyboard.press("Enter");
  }

  async status(text: string | RegExp): Promise<void> {
    await this.page.getByTestId("status").filter({ hasText: text }).waitFor();
  }

  /** Opens a terminal with the keyboard and waits for its prompt. */
  async open(): Promise<void> {
    await this.status("Live");
    const before = await this.terminals();
    await this.press("Alt+n");
    // Announced at once, shown when our own request is answered.
    const others = before.map((id) => `:not(#tab-${id})`).join("");
    await this.page.locator(`[role="tab"][aria-selected="true"]${others}`).waitFor();
    await this.shows(PROMPT);
  }

  /** All lines of the terminal in view, scrollback first, without what is empty at their ends. */
  async lines(): Promise<string[]> {
    return await this.page.evaluate(() => {
      const host = document.querySelector<HTMLElement & { terminal?: Emulator }>(
        '.panel[data-active="true"] .host',
      );
      const buffer = host?.terminal?.buffer.active;
      if (!buffer) return [];
      const all = Array.from(
        { length: buffer.length },
        (_, index) => buffer.getLine(index)?.translateToString().trimEnd() ?? "",
      );
      while (all.at(-1) === "") all.pop();
      return all;
    });
  }

  /** The page looks by itself: to be asked each time costs it and us far more. */
  async shows(text: string | RegExp): Promise<void> {
    const wanted =
      typeof text === "string"
        ? { text, flags: undefined }
        : { text: text.source, flags: text.flags };
    const options = { polling: LOOK_MS, timeout: PATIENCE_MS };
    try {
      await this.page.waitForFunction(isInView, wanted, options);
    } catch (error) {
      const lines = await this.lines();
      const end = lines.slice(-12).join("\n");
      throw new Error(`the terminal does not show ${text}; it ends in\n${end}`, { cause: error });
    }
  }

  async size(): Promise<{ cols: number; rows: number }> {
    return await this.page.evaluate(() => {
      const host = document.querySelector<HTMLElement & { terminal?: Emulator }>(
        '.panel[data-active="true"] .host',
      );
      return { cols: host?.terminal?.cols ?? 0, rows: host?.terminal?.rows ?? 0 };
    });
  }

  /** As if another tab of the browser were in front, or no longer. */
  async hide(hidden: boolean): Promise<void> {
    await this.page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  }

  /** The ids of the terminals with a tab. */
  async terminals(): Promise<string[]> {
    return await this.page
      .getByRole("tab")
      .evaluateAll((tabs) => tabs.map((tab) => tab.id.replace(/^tab-/, "")));
  }
}

/** Runs in the page, again and again: reads what is there only when that is news. */
function isInView({ text, flags }: { text: string; flags: string | undefined }): boolean {
  const host = document.querySelector<HTMLElement & { terminal?: Emulator; missed?: string }>(
    '.panel[data-active="true"] .host',
  );
  const terminal = host?.terminal;
  if (!host || !terminal) return false;
  const wanted = `${flags} ${text}`;
  if (host.missed === wanted) return false;
  if (host.missed === undefined) {
    terminal.onWriteParsed(() => (host.missed = ""));
    terminal.onResize(() => (host.missed = ""));
  }
  const buffer = terminal.buffer.active;
  const all = Array.from(
    { length: buffer.length },
    (_, index) => buffer.getLine(index)?.translateToString().trimEnd() ?? "",
  )
    .join("\n")
    .trimEnd();
  const isThere = flags === undefined ? all.includes(text) : new RegExp(text, flags).test(all);
  host.missed = isThere ? "" : wanted;
  return isThere;
}

/** What the page leaves on its element for us, as far as we use it. */
interface Emulator {
  cols: number;
  rows: number;
  onWriteParsed(listener: () => void): unknown;
  onResize(listener: () => void): unknown;
  buffer: {
    active: {
      length: number;
      getLine(index: number): { translateToString(): string } | undefined;
    };
  };
}

/** A person's or root's, whatever the machine's shell adds to it. */
export const PROMPT = /[$#] *$/;
