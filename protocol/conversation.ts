// Owns what is said about conversations on people's sockets: a coding agent that speaks ACP, what
// people ask of it and what it does. Decides nothing: `bridge/conversations/` does.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";
import type { Isolation } from "./isolation.ts";

export const ConversationId = z.string().check(z.minLength(1), z.maxLength(32));

/** The longest text of one prompt. */
export const MAX_PROMPT_CHARS = 32_768;

/**
 * starting: the agent is being asked for a session. idle: it waits for a prompt. working: a turn runs.
 * lost: the agent's connection is gone, and may come back. ended: it is over, and stays readable.
 */
export type ConversationState = "starting" | "idle" | "working" | "lost" | "ended";

/** One conversation, as everybody is told of it. */
export interface Conversation {
  id: string;
  agent: { grant: string; label: string; name?: string; version?: string };
  /** stdio: `pairpty agent` on the host's machine. socket: an agent elsewhere, through the relay. */
  via: "stdio" | "socket";
  /** What the agent calls it, or the first words of the first prompt; empty before either. */
  title: string;
  cwd: string;
  state: ConversationState;
  /** With `lost` and `ended`: what happened, as a sentence. */
  why?: string;
  isolation: Isolation;
  modes?: { current: string; available: { id: string; name: string; description?: string }[] };
  /** Slash commands that the agent offers. */
  commands: { name: string; description: string; hint?: string }[];
  /** Unix ms. */
  startedAt: number;
  /** Grows by one with every change of an entry. */
  revision: number;
}

export type ToolStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolContent =
  | { type: "text"; text: string }
  | { type: "diff"; path: string; oldText: string | null; newText: string }
  /** A terminal of the room; `text` instead of a live view once the room has forgotten it. */
  | { type: "terminal"; terminal: string; text?: string; exit?: string };

/** One piece of a conversation. Ids are unique in it; an entry that comes again replaces itself. */
export type Entry = { id: string; /** Unix ms. */ at: number } & (
  | { kind: "prompt"; by: string; text: string }
  | { kind: "message"; text: string }
  | { kind: "thought"; text: string }
  | {
      kind: "plan";
      steps: {
        text: string;
        priority: "high" | "medium" | "low";
        status: "pending" | "in_progress" | "completed";
      }[];
    }
  | {
      kind: "tool";
      title: string;
      /** ACP's: read, edit, delete, move, search, execute, think, fetch, other. */
      tool: string;
      status: ToolStatus;
      locations: { path: string; line?: number }[];
      content: ToolContent[];
      /** The command or the arguments, as text, where the agent gave them. */
      input?: string;
    }
  /** A question to people; its card is the approval of this id. */
  | {
      kind: "permission";
      approval: string;
      title: string;
      outcome?: "allowed" | "denied" | "withdrawn";
    }
  /** A turn is over. `reason` is ACP's stop reason. */
  | { kind: "turn"; reason: string }
  /** What happened to the agent or to the connection. */
  | { kind: "note"; text: string }
);

/** From people. `prompt`, `cancel`, `mode`, `new` and `end` need `edit`. */
export const ConversationClientMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("conversation:open"), id: ConversationId }),
  z.object({ type: z.literal("conversation:close"), id: ConversationId }),
  z.object({
    type: z.literal("conversation:prompt"),
    id: ConversationId,
    text: z.string().check(z.minLength(1), z.maxLength(MAX_PROMPT_CHARS)),
  }),
  z.object({ type: z.literal("conversation:cancel"), id: ConversationId }),
  z.object({
    type: z.literal("conversation:mode"),
    id: ConversationId,
    mode: z.string().check(z.minLength(1), z.maxLength(256)),
  }),
  /** Another conversation with the agent of this one. */
  z.object({ type: z.literal("conversation:new"), id: ConversationId }),
  /** Ends it: its turn is cancelled and its terminals go. */
  z.object({ type: z.literal("conversation:end"), id: ConversationId }),
]);
export type ConversationClientMessage = z.infer<typeof ConversationClientMessage>;

/** On joining and after a bridge's return: all there are. */
export interface ConversationList {
  type: "conversation:list";
  conversations: Conversation[];
}

/** To everybody: a new one, or one that is other than before. */
export interface ConversationChanged {
  type: "conversation:changed";
  conversation: Conversation;
}

/** To everybody: the bridge has forgotten it. */
export interface ConversationGone {
  type: "conversation:gone";
  id: string;
}

/** The answer to `open`, and again after a bridge's return: the entries that are kept, oldest first. */
export interface ConversationOpened {
  type: "conversation:opened";
  conversation: Conversation;
  entries: Entry[];
  /** Older entries were dropped. */
  isCut: boolean;
}

/** To those who opened it: a new entry, or one that replaces itself. */
export interface ConversationEntry {
  type: "conversation:entry";
  id: string;
  revision: number;
  entry: Entry;
}

/** To those who opened it: more text of a message or a thought. A revision that skips: open again. */
export interface ConversationText {
  type: "conversation:text";
  id: string;
  revision: number;
  entry: string;
  text: string;
}

export interface ConversationError {
  type: "conversation:error";
  id?: string;
  code: ErrorCode;
  error: string;
}

export type ConversationServerMessage =
  | ConversationList
  | ConversationChanged
  | ConversationGone
  | ConversationOpened
  | ConversationEntry
  | ConversationText
  | ConversationError;
