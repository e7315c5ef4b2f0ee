// Owns the rows of many terminals: what an idle one costs bridge and pty host, one that has printed
// 50 MB, and what a keystroke's way is beside all of them.

import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import type { OpenTerminal } from "../chain.ts";
import { toViewed } from "../chain.ts";
import type { Row } from "../figures.ts";
import { atMost, p } from "../figures.ts";
import { residentMegabytes } from "../memory.ts";
import { ECHO_WARM_UP, READY_MARK } from "../plan.ts";
import { ProductChain } from "../product.ts";
import { ECHO_PROGRAM, IDLE_PROGRAM, printedProgram } from "../programs.ts";
import type { ViewerAnswer } from "../viewer/viewing.ts";

const COUNTS = [1, 10, 100];
const AT_ONCE = 10;
/** What was needed only for opening is given back by then, or is not going to be. */
const SETTLE_MS = 1_500;

export async function terminalRows(bench: Bench): Promise<Row[]> {
  const product = await bench.own(ProductChain.start(), (one) => one.stop());
  try {
    // What only the first terminal ever needs is the program's cost, not a terminal's.
    await measureEcho(bench, product);
    return [...(await idleRows(bench, product)), await printedRow(bench, product)];
  } finally {
    await product.stop();
  }
}

async function idleRows(bench: Bench, product: ProductChain): Promise<Row[]> {
  const chain = product.seenBy();
  const resident = () => residentMegabytes(product.bridge, product.host);
  const open: OpenTerminal[] = [];
  // A heap that has had a few is as large as it needs to be for the next ones.
  const first = await Promise.all(repeat(AT_ONCE, () => chain.open(IDLE_PROGRAM)));
  for (const terminal of first) await terminal.close();
  await delay(SETTLE_MS);
  const before = resident();
  const rows: Row[] = [];
  for (const count of COUNTS) {
    while (open.length < count) {
      const some = Math.min(AT_ONCE, count - open.length);
      open.push(...(await Promise.all(repeat(some, () => chain.open(IDLE_PROGRAM)))));
    }
    await delay(SETTLE_MS);
    const each = (resident() - before) / count;
    const echo = await measureEcho(bench, product);
    const at = { count, of: "terminals" } as const;
    const what = `${count} idle ${count === 1 ? "terminal" : "terminals"}`;
    rows.push({
      id: `terminals-rss-${count}`,
      what: `${what}: bridge and pty host, each`,
      unit: "MB",
      figures: { product: { value: each } },
      at,
      ...(count > 1 ? { target: atMost(1, each, "≤ 1 MB") } : {}),
    });
    rows.push({
      id: `terminals-echo-${count}`,
      what: `${what}: echo p50 beside`,
      unit: "ms",
      figures: { product: { value: echo } },
      at,
    });
  }
  for (const terminal of open) await terminal.close();
  return rows;
}

/** Before and after one that printed 50 MB, with nobody attached any more. */
async function printedRow(bench: Bench, product: ProductChain): Promise<Row> {
  const chain = product.seenBy();
  const { path, bytes } = bench.sample;
  // The first one's cost is the program's, not the terminal's.
  const print = async () => {
    const terminal = await chain.open(printedProgram(path));
    const of = toViewed(terminal);
    const whole = bytes + READY_MARK.length;
    const answer = await bench.viewer.ask<ViewerAnswer>({ measure: "bulk", of, bytes: whole });
    if ("error" in answer) throw new Error(answer.error);
    return terminal;
  };
  const resident = () => residentMegabytes(product.bridge, product.host);
  const first = await print();
  await first.close();
  await delay(SETTLE_MS);
  const before = resident();
  const terminals = [await print(), await print(), await print()];
  await delay(SETTLE_MS);
  const each = (resident() - before) / terminals.length;
  for (const terminal of terminals) await terminal.close();
  return {
    id: "terminals-rss-printed",
    what: "terminal that printed 50 MB: bridge and pty host",
    unit: "MB",
    figures: { product: { value: each } },
    target: atMost(6, each, "≤ 6 MB"),
  };
}

async function measureEcho(bench: Bench, product: ProductChain): Promise<number> {
  const samples = ECHO_WARM_UP + bench.plan.keystrokes;
  const answer = await bench.view("echo", product.seenBy(), [ECHO_PROGRAM], (of) => ({
    measure: "echo",
    of,
    samples,
  }));
  if (answer.measure !== "echo") return Number.NaN;
  return p(0.5, answer.milliseconds.slice(ECHO_WARM_UP));
}

function repeat<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
