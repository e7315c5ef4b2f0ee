// Owns the answers to people's actions in conversations: done, or why not. Decides nothing.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { Conversation } from "./conversation.ts";

export type ActionResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ErrorCode; readonly error: string };

export const DONE: ActionResult = { ok: true };
export const NOT_FOUND: ActionResult = {
  ok: false,
  code: "not_found",
  error: "There is no such conversation",
};
export const NEEDS_EDIT: ActionResult = {
  ok: false,
  code: "forbidden",
  error: "This needs an Edit link",
};
const NOT_CONNECTED = "The agent is not connected";

export function refused(error: string): ActionResult {
  return { ok: false, code: "bad_request", error };
}

/** Returns why a conversation takes no prompt now. */
export function busyReason(conversation: Conversation): string {
  switch (conversation.state) {
    case "working":
      return "A turn is running: wait for its end, or cancel it";
    case "starting":
      return "The agent is starting: try again in a moment";
    case "ended":
      return "This conversation is over";
    case "lost":
    case "idle":
      return NOT_CONNECTED;
  }
}
