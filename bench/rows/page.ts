// Owns the rows of the page in a real browser: a key until its letter is painted, beside the pages of
// others in the same browser, near and far; and a first visit until a prompt is painted.

import { setTimeout as delay } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startBrowser } from "../../test/support/browser.ts";
import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import type { Row, Rounds } from "../figures.ts";
import { atMost, summarize, p } from "../figures.ts";
import { awaitLine, installProbe, timeKey } from "../page/paint.ts";
import { FAR_ONE_WAY_MS, PAGE_VISIT_AT_MOST_MS, PAINT_AT_MOST_MS, READY_MARK } from "../plan.ts";
import { ECHO_PROGRAM } from "../programs.ts";
import { FREE, RemoteProduct } from "../remote.ts";

const WARM_UP = 10;
const KEYSTROKES = 60;
/** Whoever types first gives the terminal its size. */
const FAR_WARM_UP = 5;
const FAR_KEYSTROKES = 30;
const VISITS = 3;
const GAP_MS = { least: 20, most: 60 } as const;

const SHELL = ["/usr/bin/env", "PS1=$ ", "TERM=xterm-256color", "bash", "--norc", "--noprofile"];

/** Where others serve their page, by the chain's name. */
const PAGES: Readonly<Record<string, string>> = { ttyd: "/", wetty: "/wetty" };

export async function pageRows(bench: Bench): Promise<Row[]> {
  const browser = await bench.own(startBrowser(), (one) => one?.close());
  if (!browser) throw new Error("Chromium does not start here");
  const { chains } = bench.peers;
  const others = chains.filter(({ name }) => PAGES[name] !== undefined);
  return [
    ...(await nearRows(bench, browser, others)),
    ...(await farRows(bench, browser)),
    ...(await visitRows(bench, browser, others)),
  ];
}

async function nearRows(bench: Bench, browser: Browser, others: readonly Chain[]): Promise<Row[]> {
  const samples = new Map<string, number[]>();
  const time = async (name: string, address: string): Promise<void> => {
    await visiting(browser, address, async (page) => {
      await installProbe(page);
      await awaitLine(page, READY_MARK);
      samples.set(name, await listKeys(page, WARM_UP + KEYSTROKES));
    });
  };
  const product = await bench.product();
  await product.showing(ECHO_PROGRAM, (address) => time("product", address));
  for (const chain of others) await shownBy(chain, ECHO_PROGRAM, (at) => time(chain.name, at));
  return [toRow("near", "key to paint", samples, WARM_UP)];
}

/** A shell behind a link of 80 ms each way, with and without typing ahead. */
async function farRows(bench: Bench, browser: Browser): Promise<Row[]> {
  const line = { rttMs: 2 * FAR_ONE_WAY_MS, bytesPerSecond: Infinity };
  const remote = await bench.own(RemoteProduct.start(bench.folder, FREE, line), (one) =>
    one.stop(),
  );
  const samples = new Map<string, number[]>();
  for (const setting of ["auto", "off"] as const) {
    const name = setting === "auto" ? "product" : "product, no prediction";
    await remote.chain.showing(SHELL, (address) =>
      visiting(
        browser,
        address,
        async (page) => {
          await installProbe(page);
          await awaitLine(page, "$");
          // What the first visit loads by itself.
          await delay(10 * FAR_ONE_WAY_MS);
          samples.set(name, await listKeys(page, FAR_WARM_UP + FAR_KEYSTROKES));
        },
        (context) =>
          context.addInitScript(
            `if (location.protocol !== "about:") localStorage.setItem("pairpty:settings", '{"prediction":"${setting}"}')`,
          ),
      ),
    );
  }
  await remote.stop();
  const what = `key to paint at a prompt, ${FAR_ONE_WAY_MS} ms each way`;
  const row = toRow("far", what, samples, FAR_WARM_UP);
  const words = `≤ ${PAINT_AT_MOST_MS} ms`;
  return [{ ...row, target: atMost(PAINT_AT_MOST_MS, row.figures["product"]?.value, words) }];
}

async function visitRows(bench: Bench, browser: Browser, others: readonly Chain[]): Promise<Row[]> {
  const rounds = new Map<string, number[]>();
  const time = (name: string, address: string): Promise<void> =>
    visiting(browser, "about:blank", async (page) => {
      const beganAt = performance.now();
      await page.goto(address, { waitUntil: "commit" });
      await installProbe(page);
      await awaitLine(page, "$");
      rounds.set(name, [...(rounds.get(name) ?? []), performance.now() - beganAt]);
    });
  const product = await bench.product();
  for (let round = 0; round < VISITS; round++) {
    await product.showing(SHELL, (address) => time("product", address));
    for (const chain of others) await shownBy(chain, SHELL, (at) => time(chain.name, at));
  }
  const figures = summarize(rounds);
  const words = `≤ ${PAGE_VISIT_AT_MOST_MS / 1000} s`;
  return [
    {
      id: "page-first-visit",
      what: "first visit until a live prompt",
      unit: "ms",
      figures,
      target: atMost(PAGE_VISIT_AT_MOST_MS, figures["product"]?.value, words),
    },
  ];
}

async function listKeys(page: Page, count: number): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let i = 0; i < count; i++) {
    await delay(GAP_MS.least + Math.random() * (GAP_MS.most - GAP_MS.least));
    milliseconds.push(await timeKey(page, "x"));
  }
  return milliseconds;
}

function toRow(
  id: string,
  what: string,
  samples: ReadonlyMap<string, readonly number[]>,
  warmUp: number,
): Row {
  const rounds: Rounds = new Map(
    [...samples].map(([chain, all]) => [chain, [p(0.5, all.slice(warmUp))]]),
  );
  return { id: `page-${id}-p50`, what: `${what}, p50`, unit: "ms", figures: summarize(rounds) };
}

/** With nothing in the cache, as on a first visit. */
async function visiting(
  browser: Browser,
  address: string,
  visit: (page: Page) => Promise<void>,
  prepare: (context: BrowserContext) => Promise<unknown> = async () => {},
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 700 } });
  try {
    await prepare(context);
    const page = await context.newPage();
    await page.goto(address);
    await visit(page);
  } finally {
    await context.close();
  }
}

async function shownBy(
  chain: Chain,
  command: readonly string[],
  visit: (address: string) => Promise<void>,
): Promise<void> {
  const terminal = await chain.open(command);
  try {
    const { host } = new URL(terminal.url);
    await visit(`http://${host}${PAGES[chain.name]}`);
  } finally {
    await terminal.close();
  }
}
