// Owns the messages between `pairpty agent` and the bridge that are not the agent's own, on the
// same lines: how the command introduces its agent, and what happens to it. Each is an object with
// the only key `pairpty`, which no JSON-RPC message has.

import * as z from "zod/mini";
import { MAX_PROMPT_CHARS } from "../../../protocol/conversation.ts";
import { Isolation } from "../../../protocol/isolation.ts";

/** Environment variable of the agent, by which its leftover processes are found. */
export const AGENT_TAG_ENV = "PAIRPTY_AGENT";

/** The first line of a connection. */
export const AgentIntroduction = z.object({
  pairpty: z.object({
    /** Display name; agents of one name share a grant. */
    name: z.optional(z.string().check(z.maxLength(200))),
    /** Folder of its sessions, absolute; the workspace's if absent. */
    folder: z.optional(z.string().check(z.maxLength(4096), z.regex(/^\//))),
    /** Isolation of the agent itself, and the minimum for what it creates. */
    isolation: z.optional(Isolation),
    /** Prompt for one turn, without a page. */
    prompt: z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_PROMPT_CHARS))),
    /** Value of `AGENT_TAG_ENV` in its processes. */
    mark: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))),
    /** Whether the client reads the bridge's own messages; else it gets only the agent's. */
    words: z.optional(z.boolean()),
  }),
});
export type AgentIntroduction = z.infer<typeof AgentIntroduction>;

/** From `pairpty agent`: the agent has exited, and why. */
export const AgentGoneLine = z.object({
  pairpty: z.object({ gone: z.string().check(z.maxLength(1_000)) }),
});
export type AgentGoneLine = z.infer<typeof AgentGoneLine>;

/** Messages from the bridge. */
export const BridgeLine = z.object({
  pairpty: z.object({
    /** The agent was accepted; `link` is where people find its conversation. */
    here: z.optional(z.object({ link: z.string() })),
    /** With a prompt: the next part of the agent's message. */
    text: z.optional(z.string()),
    /** With a prompt: the turn ended, with ACP's stop reason; or it failed, and why. */
    turn: z.optional(z.union([z.object({ reason: z.string() }), z.object({ error: z.string() })])),
    /** With a prompt: an approval is open, and the turn waits for it. */
    asks: z.optional(z.object({ id: z.string(), what: z.string() })),
    /** Reason for which the connection ends. */
    closed: z.optional(z.string()),
  }),
});
export type BridgeLine = z.infer<typeof BridgeLine>;

const PAIRPTY_PREFIX = `{"pairpty":`;

/**
 * Whether the line is one of these messages; checked before parsing, since agents' lines are long.
 */
export function isPairptyLine(line: string): boolean {
  return line.startsWith(PAIRPTY_PREFIX);
}
