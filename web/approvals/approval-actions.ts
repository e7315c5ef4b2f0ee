// Owns what people do with a question, by key, click or tap. A question can only be answered after it
// has been in front for a moment.

import type { Approval, ApprovalWord } from "../../protocol/approval.ts";
import type { SessionActions } from "../session/session.ts";
import type { Store } from "../session/store.ts";

/** Returns the open questions; none for a View link or in a closed room, which cannot answer. */
export function listOpenQuestions({ approvals, mayEdit, overReason }: Store): readonly Approval[] {
  return mayEdit.value && overReason.value === undefined ? approvals.all.value : [];
}

/** Returns why an answer would not arrive, for people; undefined if it would. */
export function findAnswerBlocker(store: Store): string | undefined {
  if (store.connection.value.state !== "live")
    return "Not connected: you can answer when this page has reconnected.";
  if (store.bridge.value.state === "away")
    return "The host is offline: you can answer when it is back.";
  return store.reachable.value && store.approvals.isListed.value ? undefined : "Connecting…";
}

/** Whether the question in front can be answered: it has been there long enough, and no answer was sent. */
export function isReady({ approvals }: Store): boolean {
  const front = approvals.front.value;
  return (
    front !== undefined && approvals.armed.value === front && !approvals.sent.value.has(front.id)
  );
}

export function sendAnswer(session: SessionActions, word: ApprovalWord, reason?: string): void {
  const { store } = session;
  const front = store.approvals.front.peek();
  if (!front || !isReady(store) || findAnswerBlocker(store) !== undefined) return;
  const givenReason = reason?.trim() ?? "";
  const isSent = session.send({
    type: "approval:answer",
    id: front.id,
    answer: word,
    ...(givenReason !== "" && { reason: givenReason }),
  });
  if (isSent) store.approvals.onSent(front.id, word);
}

/** Shows the card and moves the focus to it. */
export function focusCard({ approvals }: Store): void {
  approvals.folded.value = false;
  approvals.wantsFocus.value = true;
}
