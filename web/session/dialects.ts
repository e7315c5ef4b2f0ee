// Owns which dialects the page speaks, one row each. The rows define which messages the page may
// send and receive; the store keeps what views need.

import type { ApprovalAnswer } from "../../protocol/approval.ts";
import type { AuditRequest } from "../../protocol/audit.ts";
import type { ConversationClientMessage } from "../../protocol/conversation.ts";
import type { PtyRequest } from "../../protocol/pty-requests.ts";
import type { RoomRequest } from "../../protocol/room.ts";
import { auditDialect } from "./audit.ts";
import { SelfPresence } from "./self-presence.ts";
import type { DialectDeps } from "./dialect.ts";
import { createConversationClient } from "./conversation-client.ts";
import { PtyClient } from "./pty-client.ts";

export const DIALECTS = {
  pty: (deps: DialectDeps<PtyRequest>) => new PtyClient(deps),
  room: (deps: DialectDeps<RoomRequest>) => new SelfPresence(deps),
  approval: ({ store }: DialectDeps<ApprovalAnswer>) => store.approvals,
  conversation: (deps: DialectDeps<ConversationClientMessage>) => createConversationClient(deps),
  audit: ({ store }: DialectDeps<AuditRequest>) => auditDialect(store),
};
