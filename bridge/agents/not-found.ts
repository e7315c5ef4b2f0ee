// Owns the refusal for a terminal that an agent cannot see or that is gone: agents get the same answer for
// both.

import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";

export const NOT_FOUND = "Terminal not found";

/** Maps an unavailable pty host or screen to "not found", since agents cannot tell the difference. */
export async function orNotFound<T>(asked: Promise<T>): Promise<Outcome<T>> {
  const found = asked.then((value): Outcome<T> => ({ ok: true, value }));
  return await unlessUnavailable(found, () => refusal(NOT_FOUND));
}
