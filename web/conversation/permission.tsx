// Owns a question at its place in the conversation: its card while it is open, and the outcome
// afterwards.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import { openOnes } from "../approvals/actions.ts";
import { Card } from "../approvals/card.tsx";
import { useSession } from "../context.ts";
import { talkOf } from "../session/conversations.ts";
import { seen } from "../session/lines.ts";
import { outcomeOf } from "./words.ts";

interface PermissionProps {
  entry: Extract<Entry, { kind: "permission" }>;
  /** The id of the conversation. */
  talk: string;
}

export function Permission({ entry, talk }: PermissionProps) {
  const { store } = useSession();
  const { approvals } = store;
  const open = openOnes(store).find(({ id }) => id === entry.approval);
  const isAsked = entry.outcome === undefined && open !== undefined;
  const isInUse = store.views.isActive(talkOf(talk));
  const isCard = isAsked && isInUse && approvals.front.value === open && !approvals.folded.value;
  return (
    <>
      <p class="permission" data-outcome={entry.outcome}>
        <span class="permission-title">{seen(entry.title)}</span>
        <span class="permission-outcome">
          {entry.outcome === undefined
            ? !store.mayEdit.value && "waiting for an answer"
            : outcomeOf(entry.outcome)}
        </span>
        {isAsked && !isCard && (
          <button type="button" class="quiet" onClick={() => approvals.show(open.id)}>
            Answer
          </button>
        )}
      </p>
      {isCard && <Placed approval={open} />}
    </>
  );
}

/** Shows an agent's open question that has no entry in the conversation, at the end. */
export function Unplaced({ conversation }: { conversation: Conversation }) {
  const { store } = useSession();
  const { approvals, conversations } = store;
  const { id, agent } = conversation;
  const front = approvals.front.value;
  const isOurs = openOnes(store).some((one) => one === front) && front?.agent.grant === agent.grant;
  if (!front || !isOurs || approvals.folded.value) return null;
  const transcript = conversations.transcript(id);
  const isEntry = transcript.ids.value.some((one) => {
    const entry = transcript.entry(one)?.peek();
    return entry?.kind === "permission" && entry.approval === front.id;
  });
  return !isEntry && store.views.isActive(talkOf(id)) ? <Placed approval={front} /> : null;
}

/** Shows the card here; while it is in sight here, it is shown nowhere else. */
function Placed({ approval }: { approval: Approval }) {
  const { approvals } = useSession().store;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(([seenNow]) => {
      approvals.placed.value = { id: approval.id, isSeen: seenNow?.isIntersecting === true };
    });
    approvals.placed.value = { id: approval.id, isSeen: true };
    observer.observe(element);
    return () => {
      observer.disconnect();
      if (approvals.placed.peek()?.id === approval.id) approvals.placed.value = undefined;
    };
  }, [approval.id]);
  return (
    <div ref={place} class="placed">
      <Card approval={approval} />
    </div>
  );
}
