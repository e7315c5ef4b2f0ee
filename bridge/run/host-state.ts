// Owns the state that a bridge stores with the pty host for its successor. Also owns whether the
// pty host has stored what this bridge gave it: this run's grants and the terminals' metadata. The
// next bridge reads them after a crash.

import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { SessionRecord } from "../grants/grant-records.ts";
import type { HostClient } from "../terminals/host-client.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { Saveable, UnsavedChange } from "../workspace/durable-file.ts";

const HostState = z.object({
  version: z.literal(1),
  /** The workspace's generation: grants from before `--new` must not come back. */
  generation: z.string(),
  session: z.array(SessionRecord),
  /** Whether an agent has called. Named so for compatibility with older bridges. */
  agentRan: z.optional(z.boolean()),
  /** The highest session number given; numbers are not reused while this host lives. */
  lastSession: z.optional(z.int()),
});

export interface StoredRunState {
  readonly session: SessionRecord[];
  readonly hasAgentCalled: boolean;
  readonly lastSession: number;
}

const EMPTY_STATE: StoredRunState = { session: [], hasAgentCalled: false, lastSession: 0 };

export function readHostState(state: string | null, generation: string): StoredRunState {
  const parsed = state === null ? undefined : parseText(HostState, state);
  if (parsed?.ok !== true) return EMPTY_STATE;
  const { session, agentRan = false, lastSession = 0 } = parsed.value;
  // A new generation drops the grants; agents' processes and session numbers live on.
  return {
    session: parsed.value.generation === generation ? session : [],
    hasAgentCalled: agentRan,
    lastSession,
  };
}

export function writeHostState(
  host: Pick<HostClient, "setState">,
  generation: string,
  { hasAgentCalled: agentRan, ...runState }: StoredRunState,
): void {
  const state: z.infer<typeof HostState> = { version: 1, generation, agentRan, ...runState };
  host.setState(JSON.stringify(state));
}

/** Pings the host now. It handles messages in order, so its answer confirms all earlier ones. */
export function confirmHostCopy(pool: Pick<TerminalPool, "ping">): Saveable {
  const why = "the pty host does not answer";
  let unsaved: UnsavedChange | undefined = { what: "grants of this run", why, since: Date.now() };
  const confirm = async (): Promise<void> => {
    // If the host is gone, its copy cannot come back either.
    await unlessUnavailable(pool.ping(), () => undefined);
    unsaved = undefined;
  };
  const done = confirm();
  return {
    get unsaved() {
      return unsaved;
    },
    saved: () => done,
  };
}
