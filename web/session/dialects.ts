// Owns which dialects the page speaks, one row each. The rows define which messages the page may
// send and receive; the store keeps what views need. Also owns the audit dialect in the page:
// passes audit entries to the timeline that is open.

import type { ApprovalAnswer } from "../../protocol/approval.ts";
import type { AuditRequest, AuditServerMessage } from "../../protocol/audit.ts";
import type { ConversationClientMessage } from "../../protocol/conversation.ts";
import type { PtyRequest } from "../../protocol/pty-requests.ts";
import type { RoomRequest } from "../../protocol/room.ts";
import { createConversationClient } from "./conversation-client.ts";
import type { DialectDeps, PageDialect } from "./dialect.ts";
import { PtyClient } from "./pty-client.ts";
import { SelfPresence } from "./self-presence.ts";
import type { Store } from "./store.ts";

export const DIALECTS = {
  pty: (deps: DialectDeps<PtyRequest>) => new PtyClient(deps),
  room: (deps: DialectDeps<RoomRequest>) => new SelfPresence(deps),
  approval: ({ store }: DialectDeps<ApprovalAnswer>) => store.approvals,
  conversation: (deps: DialectDeps<ConversationClientMessage>) => createConversationClient(deps),
  audit: ({ store }: DialectDeps<AuditRequest>) => auditDialect(store),
};

function auditDialect({ timeline }: Pick<Store, "timeline">) {
  return {
    handlers: {
      "audit:entries": (message) => timeline.peek()?.onEntries(message),
      "audit:entry": ({ entry }) => timeline.peek()?.onEntry(entry),
      "audit:skipped": ({ count }) => timeline.peek()?.onSkipped(count),
      "audit:error": ({ error }) => timeline.peek()?.onError(error),
    },
  } satisfies PageDialect<AuditServerMessage>;
}
