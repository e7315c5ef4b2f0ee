// Owns a pool terminal as the target of a session: bytes by the host's offsets, keys as a keyboard
// sends them, and the position stored with the pty host.

import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { SerialQueue } from "../reading/serial-queue.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { KeyInput } from "./named-keys.ts";
import { hasApplicationForm, getKeyBytes } from "./named-keys.ts";
import type { SessionTarget, Output } from "./session-target.ts";
import { CONTEXT_BYTES } from "./session-target.ts";

export interface TerminalTargetDeps {
  readonly pool: Pick<TerminalPool, "input" | "close" | "storeSessionProgress">;
  /** Limited to what the session's owner may read. */
  readonly output: Pick<TerminalPool, "fetch" | "watch">;
  /** Returns why its owner may not type now; undefined if it may. Called right before typing. */
  readonly getInputBlockedReason: (terminal: PoolTerminal) => string | undefined;
  /** Resolves to whether its program is in application cursor mode. */
  readonly wantsApplicationKeys: (terminal: PoolTerminal) => Promise<boolean>;
  /** Serializes the reads of agents. */
  readonly reads: SerialQueue;
}

export function toTerminalTarget(deps: TerminalTargetDeps, terminal: PoolTerminal): SessionTarget {
  const { pool, output, reads } = deps;
  return {
    exit: () => (terminal.life.state === "finished" ? terminal.life.exit : undefined),
    finished: terminal.finished,
    read: (from) => reads.run(() => read(output, terminal, Math.max(0, from - CONTEXT_BYTES))),
    subscribe: (listener) => output.watch(terminal, listener),
    type: async (typed, permit) => {
      const isApplication =
        typed.some(hasApplicationForm) && (await deps.wantsApplicationKeys(terminal));
      const text = typed.map((one) => toKeyText(one, isApplication)).join("");
      const refusal = deps.getInputBlockedReason(terminal) ?? permit.use();
      if (refusal === undefined) pool.input(terminal, Buffer.from(text));
      return refusal;
    },
    claim: () => {},
    storeProgress: ({ position, isTold }) =>
      pool.storeSessionProgress(terminal, { position, isTold }),
    stop: () => pool.close(terminal, "its session was stopped"),
  };
}

async function read(
  output: TerminalTargetDeps["output"],
  terminal: PoolTerminal,
  from: number,
): Promise<Output | undefined> {
  const fetched = output.fetch(terminal, from, REPLAY_BYTES, (piece) => ({
    pieces: [piece],
    end: piece.offset + piece.bytes.length,
  }));
  return await unlessUnavailable(fetched, () => undefined);
}

function toKeyText(one: KeyInput, isApplication: boolean): string {
  if (one.kind === "text") return one.text;
  return getKeyBytes(one.name, isApplication) ?? one.bytes;
}
