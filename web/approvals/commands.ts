// Owns the commands for agents' questions. Their plain keys work only while the card has the focus, so
// that typing into a shell answers nothing.

import type { ApprovalWord } from "../../protocol/approval.ts";
import type { Aim, Command } from "../commands/command.ts";
import type { Store } from "../session/store.ts";
import { answer, enter, hindranceOf, isReady, openOnes } from "./actions.ts";

export const ENTER: Command = {
  id: "question.enter",
  title: "Go to an agent’s question",
  keys: "Alt+Y",
  refusal: ({ session: { store } }) =>
    openOnes(store).length > 0 ? undefined : "No agent is waiting for an answer.",
  run: ({ session: { store } }) => enter(store),
};

export const ANSWERS: Readonly<Record<ApprovalWord, Command>> = {
  once: answering("once", "Y", "Allow once"),
  session: answering("session", "A", "Always for this agent’s session"),
  prefix: answering("prefix", "P", "Allow commands that match the rule"),
  deny: answering("deny", "N", "Deny"),
};

export const EXPLAIN: Command = {
  id: "question.explain",
  title: "Deny, with a reason for the agent",
  keys: "R",
  scope: "question",
  isEnabled: ({ session: { store } }) => isReady(store),
  run: ({ session: { store } }) => {
    const { approvals } = store;
    approvals.explaining.value = approvals.front.peek()?.id;
  },
};

/** Has no `run`: the card handles it, since it knows where the focus came from. */
export const LEAVE: Command = {
  id: "question.leave",
  title: "Leave it open and go back",
  keys: "Escape",
  scope: "question",
};

export const QUESTION_COMMANDS: readonly Command[] = [
  ENTER,
  ...Object.values(ANSWERS),
  EXPLAIN,
  LEAVE,
];

function answering(word: ApprovalWord, keys: string, title: string): Command {
  return {
    id: `question.${word}`,
    title,
    keys,
    scope: "question",
    isEnabled: ({ session: { store } }: Aim) => isReady(store) && isOffered(store, word),
    refusal: ({ session: { store } }: Aim) => hindranceOf(store),
    run: ({ session }: Aim) => answer(session, word),
  };
}

/** Whether an answer is offered; none while a reason is being typed. */
function isOffered({ approvals }: Store, word: ApprovalWord): boolean {
  const front = approvals.front.value;
  return approvals.explaining.value !== front?.id && front?.offers.includes(word) === true;
}
