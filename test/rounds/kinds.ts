// Owns what is broken in a round, and for how long the program prints meanwhile.

import { setTimeout as pause } from "node:timers/promises";
import type { Place, Product } from "../support/product.ts";

export interface Broken {
  readonly place: Place;
  readonly product: Product;
}

export interface Kind {
  readonly name: string;
  /** How long the program prints: into what is broken, or beyond it. */
  readonly printsMs: number;
  /** Takes a few seconds, not half a minute. */
  readonly isQuick: boolean;
  /** Breaks it and lets it mend. Returns the bridge that is there then. */
  readonly breaks: (broken: Broken) => Promise<Product>;
}

/** A person needs longer, a supervisor less. */
const NEXT_BRIDGE_MS = 300;

/** Longer than a link may be silent, and a room awake. */
const LONG_STOP_MS = 13_000;
/** Up to this much more: what the stop meets differs with its length. */
const MORE_MS = 9_000;

/** Slow enough that what is printed meanwhile is less than a viewer may be behind. */
const KILL_PRINTS_MS = 8_000;
const STOP_PRINTS_MS = 40_000;
const ENDS_MEANWHILE_MS = 1_500;

export const KINDS: readonly Kind[] = [
  ...both("kill -9 of the bridge", true, KILL_PRINTS_MS, async ({ place, product }) => {
    await product.kill();
    await pause(NEXT_BRIDGE_MS);
    return await place.start();
  }),
  ...both("kill -9 of workerd", true, KILL_PRINTS_MS, async ({ place, product }) => {
    await mends(product, () => signal(findWorkerd(place), "SIGKILL"));
    return product;
  }),
  ...both("kill -9 of the relay's supervisor", true, KILL_PRINTS_MS, async ({ place, product }) => {
    await mends(product, () => signal(findSupervisor(place), "SIGKILL"));
    return product;
  }),
  ...both("kill -9 of bridge and workerd", true, KILL_PRINTS_MS, async ({ place, product }) => {
    signal(findWorkerd(place), "SIGKILL");
    await product.kill();
    await pause(NEXT_BRIDGE_MS);
    return await place.start();
  }),
  ...both("stop of workerd for 13 to 22 s", false, STOP_PRINTS_MS, async ({ place, product }) => {
    await stops(findWorkerd(place), LONG_STOP_MS + Math.random() * MORE_MS);
    return product;
  }),
  ...both("stop of the bridge for 13 to 22 s", false, STOP_PRINTS_MS, async ({ product }) => {
    await stops(product.pid, LONG_STOP_MS + Math.random() * MORE_MS);
    return product;
  }),
  ...both("stop of workerd for 2 s", true, KILL_PRINTS_MS, async ({ place, product }) => {
    await stops(findWorkerd(place), 2_000);
    return product;
  }),
];

function both(
  name: string,
  isQuick: boolean,
  printsMs: number,
  breaks: Kind["breaks"],
): readonly Kind[] {
  return [
    { name: `${name}, the program prints on`, printsMs, isQuick, breaks },
    { name: `${name}, the command ends meanwhile`, printsMs: ENDS_MEANWHILE_MS, isQuick, breaks },
  ];
}

async function mends(product: Product, breaks: () => void): Promise<void> {
  const from = product.events.length;
  breaks();
  await product.event("link_lost", { from });
  await product.event("link_up", { from });
}

async function stops(pid: number, milliseconds: number): Promise<void> {
  signal(pid, "SIGSTOP");
  try {
    await pause(milliseconds);
  } finally {
    signal(pid, "SIGCONT");
  }
}

function findSupervisor(place: Place): number {
  return findProcess(place, 0);
}

function findWorkerd(place: Place): number {
  return findProcess(place, 1);
}

function findProcess(place: Place, index: number): number {
  const pid = place.relayProcesses().processes[index]?.pid;
  if (pid === undefined) throw new Error("no such process of the relay is recorded");
  return pid;
}

function signal(pid: number, name: NodeJS.Signals): void {
  process.kill(pid, name);
}
