// Owns what `pairpty agent` and the bridge say to each other beside the agent's own messages, on the
// same lines: how the verb introduces its agent, and what becomes of it. Every such line is an object
// with the one key `pairpty`, which no JSON-RPC message has.

import * as z from "zod/mini";
import { MAX_PROMPT_CHARS } from "../../../protocol/conversation.ts";
import { Isolation } from "../../../protocol/isolation.ts";

/** In the agent's environment: whatever it leaves behind is found by it. */
export const AGENT_MARK = "PAIRPTY_AGENT";

/** The first line of a connection. */
export const AgentIntroduction = z.object({
  pairpty: z.object({
    /** What people call it; agents of one name share a grant. */
    name: z.optional(z.string().check(z.maxLength(200))),
    /** Where its sessions begin; absolute. The workspace's folder if absent. */
    folder: z.optional(z.string().check(z.maxLength(4096), z.regex(/^\//))),
    /** The wall around the agent itself, and the floor of what it creates. */
    isolation: z.optional(Isolation),
    /** One turn, without a page. */
    prompt: z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_PROMPT_CHARS))),
    /** The value of `AGENT_MARK` in its processes. */
    mark: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))),
    /** Whoever connects reads our words; without it, there are messages alone. */
    words: z.optional(z.boolean()),
  }),
});
export type AgentIntroduction = z.infer<typeof AgentIntroduction>;

/** From the verb: its agent is gone, and why. */
export const AgentGone = z.object({
  pairpty: z.object({ gone: z.string().check(z.maxLength(1_000)) }),
});
export type AgentGone = z.infer<typeof AgentGone>;

/** From the bridge. */
export const BridgeWords = z.object({
  pairpty: z.object({
    /** It is let in: where people find its conversation. */
    here: z.optional(z.object({ link: z.string() })),
    /** With a prompt: more of the agent's message. */
    text: z.optional(z.string()),
    /** With a prompt: the turn is over, by ACP's stop reason; or there is none, and why. */
    turn: z.optional(z.union([z.object({ reason: z.string() }), z.object({ error: z.string() })])),
    /** With a prompt: people are asked, and about what; nothing goes on until they answer. */
    asks: z.optional(z.object({ id: z.string(), what: z.string() })),
    /** The connection ends, and why. */
    closed: z.optional(z.string()),
  }),
});
export type BridgeWords = z.infer<typeof BridgeWords>;

const PREFIX = `{"pairpty":`;

/** Whether a line is of these: looked at before it is parsed, since agents' lines are long. */
export function isWords(line: string): boolean {
  return line.startsWith(PREFIX);
}
