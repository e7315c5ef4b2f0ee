// Owns the commands for agents' questions. Their plain keys work only while the card has the focus, so
// that typing into a shell answers nothing.

import type { ApprovalWord } from "../../protocol/approval.ts";
import type { CommandContext, Command } from "../commands/command.ts";
import type { Store } from "../session/store.ts";
import {
  sendAnswer,
  focusCard,
  findAnswerBlocker,
  isReady,
  listOpenQuestions,
} from "./approval-actions.ts";

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
