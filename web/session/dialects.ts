// Owns which dialects the page speaks, one row each. The rows define which messages the page may
// send and receive; the store keeps what views need.

import type { ApprovalAnswer } from "../../protocol/approval.ts";
import type { AuditRequest } from "../../protocol/audit.ts";
import type { ConversationClientMessage } from "../../protocol/conversation.ts";
import type { PtyRequest } from "../../protocol/pty.ts";
import type { RoomRequest } from "../../protocol/room.ts";
import { auditDialect } from "./audit.ts";
import { Being } from "./being.ts";
import type { Speaking } from "./dialect.ts";
import { dialoguesOf } from "./dialogues.ts";
import { Watching } from "./watching.ts";

export const DIALECTS = {
  pty: (speaking: Speaking<PtyRequest>) => new Watching(speaking),
  room: (speaking: Speaking<RoomRequest>) => new Being(speaking),
  approval: ({ store }: Speaking<ApprovalAnswer>) => store.approvals,
  conversation: (speaking: Speaking<ConversationClientMessage>) => dialoguesOf(speaking),
  audit: ({ store }: Speaking<AuditRequest>) => auditDialect(store),
};
