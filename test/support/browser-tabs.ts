// Owns the tabs of the tests' browsers: one that somebody left is cleared and handed to the next. A tab
// of its own for each visit would start a process each time, which costs more than the visit.

import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** What a tab is given anew with each visit. */
const SET: ReadonlySet<string> = new Set(["viewport", "colorScheme", "reducedMotion"]);
/** What it has for good; with any other option it is closed when it is left. */
const KEPT: ReadonlySet<string> = new Set(["hasTouch", "isMobile", "deviceScaleFactor"]);
const VIEWPORT = { width: 1100, height: 700 };
/** Of what tests listen to. */
const EVENTS = [
  "console",
  "dialog",
  "download",
  "filechooser",
  "pageerror",
  "request",
  "response",
  "websocket",
] as const;
/** A file of every origin that the browser only shows: nothing of it runs. */
const INERT = "/sw.js";

export interface Tab {
  readonly page: Page;
  /** For the next visit with the same options, if it can be; else it is closed. */
  leave(): Promise<void>;
}

const left = new WeakMap<Browser, Map<string, Page[]>>();

/** At an empty page. `isOwn`: it is prepared in ways that cannot be taken back. */
export async function openTab(
  browser: Browser,
  options: BrowserContextOptions,
  isOwn: boolean,
): Promise<Tab> {
  const wanted: BrowserContextOptions = {
    viewport: VIEWPORT,
    // What blinks or breathes is painted 60 times a second, on each page that only waits.
    reducedMotion: "reduce",
    // Started for each visit, for the one test that needs it.
    serviceWorkers: "block",
    ...options,
  };
  const lasting = Object.entries(options).filter(([name]) => !SET.has(name));
  if (isOwn || lasting.some(([name]) => !KEPT.has(name))) {
    const context = await browser.newContext(wanted);
    return { page: await context.newPage(), leave: () => context.close() };
  }
  const pools = left.get(browser) ?? new Map<string, Page[]>();
  left.set(browser, pools);
  const key = JSON.stringify(lasting);
  const pool = pools.get(key) ?? [];
  pools.set(key, pool);
  const page =
    (await takenFrom(pool, wanted)) ?? (await (await browser.newContext(wanted)).newPage());
  const leave = async (): Promise<void> => {
    if (await isCleared(page)) pool.push(page);
    else await page.context().close();
  };
  return { page, leave };
}

/** One that is still there: a browser may have ended a page that nobody used. */
async function takenFrom(pool: Page[], wanted: BrowserContextOptions): Promise<Page | undefined> {
  for (let page = pool.pop(); page !== undefined; page = pool.pop()) {
    try {
      await prepare(page, wanted);
      return page;
    } catch (error) {
      if (!page.isClosed()) throw error;
    }
  }
  return undefined;
}

async function prepare(page: Page, options: BrowserContextOptions): Promise<void> {
  await page.emulateMedia({
    colorScheme: options.colorScheme ?? "light",
    reducedMotion: options.reducedMotion ?? null,
  });
  await page.setViewportSize(options.viewport ?? VIEWPORT);
}

/** As for a first visit: nothing runs, nothing is kept, nobody listens. */
async function isCleared(page: Page): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || context.pages().length > 1) return false;
  for (const event of EVENTS) page.removeAllListeners(event);
  try {
    await page.unrouteAll();
    const { origin } = new URL(page.url());
    // At the same origin, for its storage, and without anything that could write to it again.
    await page.goto(`${origin}${INERT}`, { waitUntil: "commit" });
    const isEmpty = await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
      return document.scripts.length === 0;
    });
    if (!isEmpty) return false;
    await context.clearPermissions();
    await page.mouse.move(0, 0);
    return true;
  } catch {
    // Its server has ended: there is no place where its storage could be reached.
    return false;
  }
}
