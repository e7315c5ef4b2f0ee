// Owns the conversation messages on people's sockets: a coding agent that speaks ACP, people's
// prompts and the agent's work. `bridge/conversations/` makes the decisions.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";
import type { Isolation } from "./isolation.ts";

export const ConversationId = z.string().check(z.minLength(1), z.maxLength(32));

export const MAX_PROMPT_CHARS = 32_768;

/**
 * starting: the bridge requests a session from the agent. idle: waits for a prompt. working: a turn
 * runs. lost: the agent disconnected and may come back. ended: over, but still readable.
 */
export type ConversationState = "starting" | "idle" | "working" | "lost" | "ended";

/** One conversation, as sent to every person. */
export interface Conversation {
  id: string;
  agent: { grant: string; label: string; name?: string; version?: string };
  /** stdio: `pairpty agent` on the host's machine. socket: a remote agent, through the relay. */
  via: "stdio" | "socket";
  /** The agent's title for it, or the beginning of the first prompt; empty before either. */
  title: string;
  cwd: string;
  state: ConversationState;
  /** Present with `lost` and `ended`: what happened, as a message for people. */
  why?: string;
  isolation: Isolation;
  modes?: { current: string; available: { id: string; name: string; description?: string }[] };
  /** Slash commands that the agent offers. */
  commands: { name: string; description: string; hint?: string }[];
  /** Unix ms. */
  startedAt: number;
  /** Increases by one with every change of an entry. */
  revision: number;
}

export type ToolStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolContent =
  | { type: "text"; text: string }
  | { type: "diff"; path: string; oldText: string | null; newText: string }
  /** A terminal of the room; `text` replaces the live view once the terminal is gone. */
  | { type: "terminal"; terminal: string; text?: string; exit?: string };

/**
 * One item of a conversation. Ids are unique in it; an entry with a known id replaces the old one.
 */
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
      /** The command or arguments as text, if the agent gave them. */
      input?: string;
    }
  /** A request for permission; people answer it as the approval of this id. */
  | {
      kind: "permission";
      approval: string;
      title: string;
      outcome?: "allowed" | "denied" | "withdrawn";
    }
  /** End of a turn. `reason` is ACP's stop reason. */
  | { kind: "turn"; reason: string }
  /** An event of the agent or its connection, as text. */
  | { kind: "note"; text: string }
);

/** Sent by people. `prompt`, `cancel`, `mode`, `new` and `end` require `edit`. */
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
  /** Starts another conversation with the same agent. */
  z.object({ type: z.literal("conversation:new"), id: ConversationId }),
  /** Ends the conversation: cancels its turn and closes its terminals. */
  z.object({ type: z.literal("conversation:end"), id: ConversationId }),
]);
export type ConversationClientMessage = z.infer<typeof ConversationClientMessage>;

/** Sent on joining and when the bridge reconnects: all conversations. */
export interface ConversationList {
  type: "conversation:list";
  conversations: Conversation[];
}

/** Sent to all: a conversation is new or has changed. */
export interface ConversationChanged {
  type: "conversation:changed";
  conversation: Conversation;
}

/** Sent to all: the bridge has dropped the conversation. */
export interface ConversationGone {
  type: "conversation:gone";
  id: string;
}

/**
 * The answer to `open`, sent again when the bridge reconnects: the stored entries, oldest first.
 */
export interface ConversationOpened {
  type: "conversation:opened";
  conversation: Conversation;
  entries: Entry[];
  /** Older entries were dropped. */
  isCut: boolean;
}

/** Sent to those who opened it: a new entry, or a new version of one. */
export interface ConversationEntry {
  type: "conversation:entry";
  id: string;
  revision: number;
  entry: Entry;
}

/**
 * Sent to those who opened it: more text of a message or thought. If a revision is skipped, open
 * again.
 */
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
