// Owns the card of one question: which agent wants what, the reasons, and the answers. It floats,
// so that no terminal moves. Also owns what prevents accidental answers: the card takes the focus
// only on request and gives it back, and a question that has just appeared cannot be answered.

import type { RefObject } from "preact";
import { useRef, useState, useEffect, useLayoutEffect } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import { splitReasons } from "../../protocol/approval.ts";
import { getHints, isPressed } from "../commands/command.ts";
import { useNow, useSession, useVisit } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import { Answers } from "./answers.tsx";
import { ENTER_QUESTION, LEAVE_QUESTION } from "./approval-commands.ts";
import {
  formatReason,
  getRisk,
  formatTimeLeft,
  formatIsolation,
  formatRequest,
} from "./approval-texts.ts";
import "./card.css";
import "./card-answers.css";
import "./card-narrow.css";
import { NotifyMe } from "./notify-me.tsx";
import { Subject } from "./question-subject.tsx";

export function ApprovalCard({ approval }: { approval: Approval }) {
  const { session, commands } = useVisit();
  const card = useRef<HTMLElement>(null);
  const { leave, onFocusIn } = useCardFocus(card);
  useArmDelay(approval);
  const risk = getRisk(approval);
  return (
    <section
      ref={card}
      class="question"
      aria-label={`${approval.agent.label} ${formatRequest(approval)}`}
      tabIndex={-1}
      data-id={approval.id}
      data-tone={risk.tone}
      onFocusIn={onFocusIn}
      onKeyDown={(event) => {
        if (isPressed(LEAVE_QUESTION.keys, event)) leave();
        // Letters typed into the reason are not answers, and neither is a repeated key.
        if (event.target instanceof HTMLInputElement || event.repeat) return;
        commands.onKeyDown(event, session, "question");
      }}
    >
      <Head approval={approval} />
      <div class="question-body">
        <Subject approval={approval} />
        <div class="question-risk">
          <p>
            <strong class={risk.tone}>{risk.text}</strong>
          </p>
          <Reasons key={approval.id} approval={approval} />
        </div>
        <Facts approval={approval} />
      </div>
      <Answers approval={approval} />
    </section>
  );
}

/** Shows the gravest reason and the notes; a button shows the other reasons. */
function Reasons({ approval }: { approval: Approval }) {
  const [isOpen, setOpen] = useState(false);
  const { gravest, more, notes } = splitReasons(approval);
  const shown = [...(gravest === undefined ? [] : [gravest]), ...(isOpen ? more : []), ...notes];
  if (shown.length === 0) return null;
  const count = `${more.length} more ${more.length === 1 ? "reason" : "reasons"}`;
  return (
    <>
      <ul>
        {shown.map((reason) => (
          <li key={reason}>
            <ReasonText reason={reason} />
          </li>
        ))}
      </ul>
      {more.length > 0 && (
        <button
          type="button"
          class="question-more"
          aria-expanded={isOpen}
          // Keeps the focus, usually in a terminal.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Show fewer reasons" : count}
        </button>
      )}
    </>
  );
}

/** Shows text in backticks as code. */
function ReasonText({ reason }: { reason: string }) {
  const parts = formatReason(reason).split("`");
  if (parts.length % 2 === 0) return <>{parts.join("`")}</>;
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}

function Head({ approval }: { approval: Approval }) {
  const { store } = useSession();
  const { approvals } = store;
  const all = approvals.all.value;
  const at = all.indexOf(approval) + 1;
  return (
    <header class="question-head">
      <h2>
        <b>{showInvisible(approval.agent.label)}</b> {formatRequest(approval)}
      </h2>
      {all.length > 1 && (
        <div class="question-steps" role="group" aria-label="Open questions">
          <IconButton label="Previous question" onPress={() => approvals.step(-1)}>
            ‹
          </IconButton>
          <span>
            {at} of {all.length}
          </span>
          <IconButton label="Next question" onPress={() => approvals.step(1)}>
            ›
          </IconButton>
        </div>
      )}
      <IconButton
        label="Not now"
        hints={getHints(ENTER_QUESTION, "Not now: fold it away")}
        onPress={() => (approvals.folded.value = true)}
      >
        –
      </IconButton>
    </header>
  );
}

interface IconButtonProps {
  label: string;
  hints?: object;
  onPress: () => void;
  children: string;
}

function IconButton({ label, hints, onPress, children }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      {...hints}
      // Keeps the focus, usually in a terminal.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const now = useNow(approval.expiresAt !== null);
  const left = formatTimeLeft(approval, now);
  return (
    <div class="question-facts">
      <dl>
        <dt>In</dt>
        <dd class="path">{showInvisible(approval.cwd)}</dd>
        <dt>Tool</dt>
        <dd>
          <code>{showInvisible(approval.via)}</code>
          {left !== undefined && <span class="time"> · {left}</span>}
        </dd>
      </dl>
      <p data-isolation={approval.isolation}>{formatIsolation(approval)}</p>
      <NotifyMe />
    </div>
  );
}

/** A click or key within this time was meant for what was on the screen before. */
const ARM_DELAY_MS = 500;

/** Arms the question for answers after it has been in front for a moment. */
function useArmDelay(approval: Approval): void {
  const { approvals } = useSession().store;
  useEffect(() => {
    const timer = setTimeout(() => {
      approvals.armed.value = approval;
    }, ARM_DELAY_MS);
    return () => {
      clearTimeout(timer);
      approvals.armed.value = undefined;
    };
  }, [approval]);
}

/** Moves the focus to the card on request, and back to its origin. */
function useCardFocus(card: RefObject<HTMLElement | null>) {
  const { approvals, views } = useSession().store;
  const isAsked = approvals.wantsFocus.value;
  const origin = useRef<EventTarget | null>(null);
  const isInside = (target: EventTarget | null): boolean =>
    target instanceof Node && card.current?.contains(target) === true;
  const leave = (): void => {
    const from = origin.current;
    if (from instanceof HTMLElement && from.isConnected) from.focus();
    else views.focus.value += 1;
  };
  const onFocusIn = ({ relatedTarget }: FocusEvent): void => {
    if (!isInside(relatedTarget)) origin.current = relatedTarget;
  };
  useLayoutEffect(() => {
    if (!isAsked) return;
    approvals.wantsFocus.value = false;
    card.current?.focus();
  }, [isAsked]);
  useLayoutEffect(
    () => () => {
      if (isInside(document.activeElement)) leave();
    },
    [],
  );
  return { leave, onFocusIn };
}
