// Owns looking at processes from outside: whether they live, and how much they wrote.

import { readFileSync } from "node:fs";
import { until } from "./waiting.ts";

/** Far beyond what anything here takes: it only turns a hang into a failure. */
const PATIENCE = { milliseconds: 20_000 };

/** A zombie is dead: who reaps orphans, and when, is not the host's matter. */
export function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export async function ended(pid: number): Promise<void> {
  await until(`process ${pid} has ended`, () => !alive(pid), PATIENCE);
}

/** Waits until a process has written so much, which needs no word from the host. */
export async function wrote(pid: number, bytes: number): Promise<void> {
  const written = (): number =>
    Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
  await until(`process ${pid} wrote ${bytes} bytes`, () => written() >= bytes, PATIENCE);
}
