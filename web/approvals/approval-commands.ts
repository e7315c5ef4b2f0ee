// Owns the commands for agents' questions. Their plain keys work only while the card has the focus,
// so that typing into a shell answers nothing. Also owns what people do with a question, by key,
// click or tap. A question can only be answered after it has been in front for a moment.

import type { ApprovalWord, Approval } from "../../protocol/approval.ts";
import type { CommandContext, Command } from "../commands/command.ts";
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

export const ENTER_QUESTION: Command = {
  id: "question.enter",
  title: "Go to an agent’s question",
  keys: "Alt+Y",
  refusal: ({ session: { store } }) =>
    listOpenQuestions(store).length > 0 ? undefined : "No agent is waiting for an answer.",
  run: ({ session: { store } }) => focusCard(store),
};

export const ANSWERS: Readonly<Record<ApprovalWord, Command>> = {
  once: toAnswerCommand("once", "Y", "Allow once"),
  session: toAnswerCommand("session", "A", "Always for this agent’s session"),
  prefix: toAnswerCommand("prefix", "P", "Allow commands that match the rule"),
  deny: toAnswerCommand("deny", "N", "Deny"),
};

export const DENY_WITH_REASON: Command = {
  id: "question.explain",
  title: "Deny, with a reason for the agent",
  keys: "R",
  scope: "question",
  isEnabled: ({ session: { store } }) => isReady(store),
  run: ({ session: { store } }) => {
    const { approvals } = store;
    approvals.denyingId.value = approvals.front.peek()?.id;
  },
};

/** Has no `run`: the card handles it, since it knows where the focus came from. */
export const LEAVE_QUESTION: Command = {
  id: "question.leave",
  title: "Leave it open and go back",
  keys: "Escape",
  scope: "question",
};

export const QUESTION_COMMANDS: readonly Command[] = [
  ENTER_QUESTION,
  ...Object.values(ANSWERS),
  DENY_WITH_REASON,
  LEAVE_QUESTION,
];

function toAnswerCommand(word: ApprovalWord, keys: string, title: string): Command {
  return {
    id: `question.${word}`,
    title,
    keys,
    scope: "question",
    isEnabled: ({ session: { store } }: CommandContext) => isReady(store) && isOffered(store, word),
    refusal: ({ session: { store } }: CommandContext) => findAnswerBlocker(store),
    run: ({ session }: CommandContext) => sendAnswer(session, word),
  };
}

/** Whether an answer is offered; none while a reason is being typed. */
function isOffered({ approvals }: Store, word: ApprovalWord): boolean {
  const front = approvals.front.value;
  return approvals.denyingId.value !== front?.id && front?.offers.includes(word) === true;
}
