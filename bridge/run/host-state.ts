// Owns what a bridge leaves with the pty host for the one that takes over.

import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { SessionRecord } from "../grants/uses.ts";
import type { HostClient } from "../terminals/host-client.ts";

const HostState = z.object({
  version: z.literal(1),
  /** The workspace's: grants of what `--new` gave up are nobody's. */
  generation: z.string(),
  session: z.array(SessionRecord),
});

export function readHostState(state: string | null, generation: string): SessionRecord[] {
  const parsed = state === null ? undefined : parseText(HostState, state);
  if (parsed?.ok !== true || parsed.value.generation !== generation) return [];
  return parsed.value.session;
}

export function writeHostState(
  host: Pick<HostClient, "setState">,
  generation: string,
  session: SessionRecord[],
): void {
  const state: z.infer<typeof HostState> = { version: 1, generation, session };
  host.setState(JSON.stringify(state));
}
