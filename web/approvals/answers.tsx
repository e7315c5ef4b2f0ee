// Owns the answers to a question: a button for each offered one, the reason of a denial, and why it
// cannot be answered now.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Approval, ApprovalWord } from "../../protocol/approval.ts";
import { MAX_REASON_CHARS } from "../../protocol/approval.ts";
import type { Command } from "../commands/command.ts";
import { createContext, getHints, runCommand } from "../commands/command.ts";
import { Keys } from "../commands/command-button.tsx";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import {
  sendAnswer,
  findAnswerBlocker,
  isReady,
  ANSWERS,
  ENTER_QUESTION,
  DENY_WITH_REASON,
  LEAVE_QUESTION,
} from "./approval-commands.ts";
import "../row.css";

const ANSWER_SENT = "Your answer is on its way…";

export function Answers({ approval }: { approval: Approval }) {
  const { store } = useSession();
  const { approvals } = store;
  const { offers, rule, agent } = approval;
  const blocker = findAnswerBlocker(store);
  const isOff = blocker !== undefined || !isReady(store);
  const status = blocker ?? (approvals.sent.value.has(approval.id) ? ANSWER_SENT : undefined);
  const isRisky = approval.verdict === "dangerous" || approval.verdict === "blocked";
  const button = (word: ApprovalWord, look: string, text: string, name?: string) =>
    offers.includes(word) && (
      <Answer command={ANSWERS[word]} look={look} isOff={isOff} name={name ?? text}>
        {text}
      </Answer>
    );
  if (approvals.denyingId.value === approval.id)
    return (
      <footer class="question-answers">
        <Reason />
        <p role="status">{status}</p>
      </footer>
    );
  return (
    <footer class="question-answers">
      {rule !== undefined && offers.includes("prefix") && (
        <p class="rule">
          Allowing <code>{showInvisible(rule)}</code> lets {showInvisible(agent.label)} run all such
          commands without asking, until its access ends.
        </p>
      )}
      <div class="question-lasting">
        {button("session", "quiet", "Always for this agent’s session")}
        {button(
          "prefix",
          "quiet",
          `Allow ${showInvisible(rule ?? "commands that match the rule")}`,
        )}
      </div>
      <div class="question-main">
        {button("deny", "quiet", "Deny")}
        {button("once", isRisky ? "danger" : "primary", "Allow once")}
      </div>
      <div class="question-end">
        <p role="status">{status ?? <KeyHints />}</p>
        {offers.includes("deny") && (
          <Answer
            command={DENY_WITH_REASON}
            look="text"
            isOff={isOff}
            name={DENY_WITH_REASON.title}
          >
            Deny with a reason…
          </Answer>
        )}
      </div>
    </footer>
  );
}

/** Shows how the keys work, which depends on the focus. Hidden on phones, which have no keys. */
function KeyHints() {
  return (
    <span class="question-keys">
      <span class="if-away">
        <Keys of={ENTER_QUESTION.keys} /> to answer by key
      </span>
      <span class="if-here">
        <Keys of={LEAVE_QUESTION.keys} /> to go back
      </span>
    </span>
  );
}

interface AnswerProps {
  command: Command;
  look: string;
  isOff: boolean;
  name: string;
  children: string;
}

/** Shows one answer. It is not `disabled` while it is off: that would move the focus away from it. */
function Answer({ command, look, isOff, name, children }: AnswerProps) {
  const session = useSession();
  return (
    <button
      type="button"
      class={look}
      {...getHints(command, name)}
      aria-disabled={isOff}
      // Keeps the focus, so that the person can continue typing after a click or tap.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => !isOff && runCommand(command, createContext(session))}
    >
      <span>{children}</span>
      {/* Screen readers have the shortcut from the button itself. */}
      <span class="question-key" aria-hidden="true">
        <Keys of={command.keys} />
      </span>
    </button>
  );
}

function Reason() {
  const session = useSession();
  const { store } = session;
  const input = useRef<HTMLInputElement>(null);
  // Focus before the next key, which may belong to the reason.
  useLayoutEffect(() => input.current?.focus(), []);
  const back = (): void => {
    // Before the input disappears: further letters must not answer the next question.
    input.current?.closest<HTMLElement>(".question")?.focus();
    store.approvals.denyingId.value = undefined;
  };
  const isOff = findAnswerBlocker(store) !== undefined || !isReady(store);
  return (
    <form
      class="question-reason"
      onSubmit={(event) => {
        event.preventDefault();
        if (isOff) return;
        sendAnswer(session, "deny", input.current?.value);
        back();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        back();
      }}
    >
      <label for="question-reason">Reason, for the agent</label>
      <div class="row">
        <input
          id="question-reason"
          ref={input}
          maxLength={MAX_REASON_CHARS}
          autocomplete="off"
          placeholder="What it should do instead"
        />
        <button type="button" class="quiet" onClick={back}>
          Back
        </button>
        <button type="submit" class="danger" aria-disabled={isOff}>
          Deny
        </button>
      </div>
    </form>
  );
}
