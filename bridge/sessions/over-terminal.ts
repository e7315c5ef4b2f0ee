// Owns a pool terminal as the target of a session: bytes by the host's offsets, keys as a keyboard
// sends them, and the position stored with the pty host.

import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { OneByOne } from "../reading/one-by-one.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { Typed } from "./keys.ts";
import { hasOtherForm, keyBytes } from "./keys.ts";
import type { Live, Output } from "./live.ts";
import { CONTEXT_BYTES } from "./live.ts";

export interface TerminalParts {
  readonly pool: Pick<TerminalPool, "input" | "close" | "keepSession">;
  /** Limited to what the session's owner may read. */
  readonly output: Pick<TerminalPool, "fetch" | "watch">;
  /** Returns why its owner may not type now; undefined if it may. Called right before typing. */
  readonly whyNoInput: (terminal: PoolTerminal) => string | undefined;
  /** Resolves to whether its program is in application cursor mode. */
  readonly wantsApplicationKeys: (terminal: PoolTerminal) => Promise<boolean>;
  /** Serializes the reads of agents. */
  readonly reads: OneByOne;
}

export function overTerminal(parts: TerminalParts, terminal: PoolTerminal): Live {
  const { pool, output, reads } = parts;
  return {
    exit: () => (terminal.life.state === "finished" ? terminal.life.exit : undefined),
    finished: terminal.finished,
    read: (from) => reads.run(() => read(output, terminal, Math.max(0, from - CONTEXT_BYTES))),
    subscribe: (listener) => output.watch(terminal, listener),
    type: async (typed, permit) => {
      const isApplication =
        typed.some(hasOtherForm) && (await parts.wantsApplicationKeys(terminal));
      const text = typed.map((one) => textOf(one, isApplication)).join("");
      const refusal = parts.whyNoInput(terminal) ?? permit.use();
      if (refusal === undefined) pool.input(terminal, Buffer.from(text));
      return refusal;
    },
    claim: () => {},
    keep: ({ position, isTold }) => pool.keepSession(terminal, { position, isTold }),
    stop: () => pool.close(terminal, "its session was stopped"),
  };
}

async function read(
  output: TerminalParts["output"],
  terminal: PoolTerminal,
  from: number,
): Promise<Output | undefined> {
  const fetched = output.fetch(terminal, from, REPLAY_BYTES, (piece) => ({
    pieces: [piece],
    end: piece.offset + piece.bytes.length,
  }));
  return await unlessUnavailable(fetched, () => undefined);
}

function textOf(one: Typed, isApplication: boolean): string {
  if (one.kind === "text") return one.text;
  return keyBytes(one.name, isApplication) ?? one.bytes;
}
