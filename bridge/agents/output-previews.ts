// Owns previews of agents' background terminals: a sample of their output, at a limited rate, for
// all sockets. Attached viewers get the full stream.

import { DisposableStore } from "../disposable-store.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Unavailable } from "../terminals/unavailable.ts";
import { readSlice } from "../reading/terminal-text.ts";

export const PREVIEW_BYTES = 4 << 10;
/** At most four a second per terminal. */
export const MIN_INTERVAL_MS = 250;

/** Starts the previews; returns a function that stops them. */
export function startPreviews(
  pool: Pick<TerminalPool, "fetch" | "emitPreview" | "onActivity" | "onEvent">,
  log: Pick<Log, "error">,
): () => void {
  const sent = new Map<string, { next: number; at: number }>();

  async function sendPreview(terminal: PoolTerminal): Promise<void> {
    const last = sent.get(terminal.id) ?? { next: 0, at: 0 };
    const now = Date.now();
    if (now - last.at < MIN_INTERVAL_MS) return;
    sent.set(terminal.id, { ...last, at: now });
    const fetched = pool.fetch(terminal, last.next, PREVIEW_BYTES, (retained) =>
      readSlice(retained, { maxBytes: PREVIEW_BYTES, raw: true }, false),
    );
    const preview = await fetched.catch((error: unknown) => {
      if (!(error instanceof Unavailable)) logFault(log, `a preview of ${terminal.id}`, error);
      return undefined;
    });
    if (preview === undefined || preview.text === "") return;
    sent.set(terminal.id, { next: preview.next, at: now });
    pool.emitPreview(terminal, preview.text);
  }

  const disposables = new DisposableStore();
  disposables.add(
    pool.onActivity((terminal) => {
      if (terminal.meta.owner === "agent" && !terminal.meta.visible) void sendPreview(terminal);
    }),
    pool.onEvent(({ event, terminal: { id } }) => {
      if (event === "closed" || event === "promoted") sent.delete(id);
    }),
  );
  return () => disposables.dispose();
}
