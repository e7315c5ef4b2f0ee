// Owns the card of one question: which agent wants what, the reasons, and the answers. It floats, so
// that no terminal moves.

import { useRef, useState } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import { splitReasons } from "../../protocol/approval.ts";
import { useSeconds } from "../clock.ts";
import { hintsOf } from "../commands/command.ts";
import { isPressed } from "../commands/keys.ts";
import { useSession, useVisit } from "../context.ts";
import { seen } from "../session/lines.ts";
import { Answers } from "./answers.tsx";
import "./card.css";
import { ENTER, LEAVE } from "./commands.ts";
import { useFocus, useGuard } from "./hand.ts";
import { NotifyMe } from "./notify-me.tsx";
import { Subject } from "./subject.tsx";
import { reasonOf, riskOf, timeLeft, wallOf, wishOf } from "./words.ts";

export function Card({ approval }: { approval: Approval }) {
  const { session, commands } = useVisit();
  const card = useRef<HTMLElement>(null);
  const { leave, onFocusIn } = useFocus(card);
  useGuard(approval);
  const risk = riskOf(approval);
  return (
    <section
      ref={card}
      class="question"
      aria-label={`${approval.agent.label} ${wishOf(approval)}`}
      tabIndex={-1}
      data-id={approval.id}
      data-tone={risk.tone}
      onFocusIn={onFocusIn}
      onKeyDown={(event) => {
        if (isPressed(LEAVE.keys, event)) leave();
        // Letters typed into the reason are no answers, and neither is a repeated key.
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
  const parts = reasonOf(reason).split("`");
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
        <b>{seen(approval.agent.label)}</b> {wishOf(approval)}
      </h2>
      {all.length > 1 && (
        <div class="question-steps" role="group" aria-label="Open questions">
          <Small label="Previous question" onPress={() => approvals.step(-1)}>
            ‹
          </Small>
          <span>
            {at} of {all.length}
          </span>
          <Small label="Next question" onPress={() => approvals.step(1)}>
            ›
          </Small>
        </div>
      )}
      <Small
        label="Not now"
        hints={hintsOf(ENTER, "Not now: fold it away")}
        onPress={() => (approvals.folded.value = true)}
      >
        –
      </Small>
    </header>
  );
}

interface SmallProps {
  label: string;
  hints?: object;
  onPress: () => void;
  children: string;
}

function Small({ label, hints, onPress, children }: SmallProps) {
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
  const now = useSeconds(approval.expiresAt !== null);
  const left = timeLeft(approval, now);
  return (
    <div class="question-facts">
      <dl>
        <dt>In</dt>
        <dd class="path">{seen(approval.cwd)}</dd>
        <dt>Tool</dt>
        <dd>
          <code>{seen(approval.via)}</code>
          {left !== undefined && <span class="time"> · {left}</span>}
        </dd>
      </dl>
      <p data-isolation={approval.isolation}>{wallOf(approval)}</p>
      <NotifyMe />
    </div>
  );
}
