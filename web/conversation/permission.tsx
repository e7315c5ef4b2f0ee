// Owns a question at its place in the conversation: its card while it is open, and the outcome
// afterwards.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import { listOpenQuestions } from "../approvals/approval-actions.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { useSession } from "../context.ts";
import { toConversationView } from "../session/conversations.ts";
import { showInvisible } from "../session/visible-text.ts";
import { formatOutcome } from "./conversation-texts.ts";

interface PermissionProps {
  entry: Extract<Entry, { kind: "permission" }>;
  /** The id of the conversation. */
  talk: string;
}

export function Permission({ entry, talk }: PermissionProps) {
  const { store } = useSession();
  const { approvals } = store;
  const open = listOpenQuestions(store).find(({ id }) => id === entry.approval);
  const isAsked = entry.outcome === undefined && open !== undefined;
  const isInUse = store.views.isActive(toConversationView(talk));
  const isCard = isAsked && isInUse && approvals.front.value === open && !approvals.folded.value;
  return (
    <>
      <p class="permission" data-outcome={entry.outcome}>
        <span class="permission-title">{showInvisible(entry.title)}</span>
        <span class="permission-outcome">
          {entry.outcome === undefined
            ? !store.mayEdit.value && "waiting for an answer"
            : formatOutcome(entry.outcome)}
        </span>
        {isAsked && !isCard && (
          <button type="button" class="quiet" onClick={() => approvals.show(open.id)}>
            Answer
          </button>
        )}
      </p>
      {isCard && <InlineCard approval={open} />}
    </>
  );
}

/** Shows an agent's open question that has no entry in the conversation, at the end. */
export function UnplacedQuestion({ conversation }: { conversation: Conversation }) {
  const { store } = useSession();
  const { approvals, conversations } = store;
  const { id, agent } = conversation;
  const front = approvals.front.value;
  const isOurs =
    listOpenQuestions(store).some((one) => one === front) && front?.agent.grant === agent.grant;
  if (!front || !isOurs || approvals.folded.value) return null;
  const transcript = conversations.getTranscript(id);
  const isEntry = transcript.ids.value.some((one) => {
    const entry = transcript.entry(one)?.peek();
    return entry?.kind === "permission" && entry.approval === front.id;
  });
  return !isEntry && store.views.isActive(toConversationView(id)) ? (
    <InlineCard approval={front} />
  ) : null;
}

/** Shows the card here; while it is in sight here, it is shown nowhere else. */
function InlineCard({ approval }: { approval: Approval }) {
  const { approvals } = useSession().store;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(([seenNow]) => {
      approvals.inlineCard.value = { id: approval.id, isSeen: seenNow?.isIntersecting === true };
    });
    approvals.inlineCard.value = { id: approval.id, isSeen: true };
    observer.observe(element);
    return () => {
      observer.disconnect();
      if (approvals.inlineCard.peek()?.id === approval.id) approvals.inlineCard.value = undefined;
    };
  }, [approval.id]);
  return (
    <div ref={place} class="placed">
      <ApprovalCard approval={approval} />
    </div>
  );
}
