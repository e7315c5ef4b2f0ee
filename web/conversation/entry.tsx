// Owns one entry of a conversation, of any kind. Redrawn only when it changes. Also owns a question
// at its place in the conversation: its card while it is open, and the outcome afterwards.

import type { ReadonlySignal } from "@preact/signals";
import { useMemo, useState, useLayoutEffect, useRef } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import { formatTime } from "../../protocol/formats.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { listOpenQuestions } from "../approvals/approval-commands.ts";
import { useSession } from "../context.ts";
import { toConversationView } from "../session/conversations.ts";
import { showInvisible } from "../session/visible-text.ts";
import { formatTurnEnd, formatKind, formatAuthor, formatOutcome } from "./conversation-texts.ts";
import { Markdown } from "./prose.tsx";
import { Tool } from "./tool.tsx";

interface EntryProps {
  of: ReadonlySignal<Entry>;
  conversation: Conversation;
}

export function EntryPart({ of, conversation }: EntryProps) {
  const { id, agent } = conversation;
  // The conversation changes often, but the parts that an entry shows do not.
  return useMemo(
    () => <EntryArticle of={of} agent={agent.label} talk={id} />,
    [of, agent.label, id],
  );
}

interface EntryArticleProps {
  of: ReadonlySignal<Entry>;
  agent: string;
  talk: string;
}

function EntryArticle({ of, agent, talk }: EntryArticleProps) {
  const entry = of.value;
  return (
    <article
      class={`entry entry-${entry.kind}`}
      aria-label={formatKind(entry, showInvisible(agent))}
    >
      <Content entry={entry} talk={talk} />
    </article>
  );
}

function Content({ entry, talk }: { entry: Entry; talk: string }) {
  switch (entry.kind) {
    case "prompt":
      return <Prompt entry={entry} />;
    case "message":
      return <Markdown text={entry.text} />;
    case "thought":
      return <Thought text={entry.text} />;
    case "plan":
      return <Plan entry={entry} />;
    case "tool":
      return <Tool entry={entry} />;
    case "permission":
      return <Permission entry={entry} talk={talk} />;
    case "turn":
      return (
        <p class="talk-turn" data-reason={entry.reason}>
          <span>
            {formatTurnEnd(entry.reason)} · {formatEntryTime(entry.at)}
          </span>
        </p>
      );
    case "note":
      return <p class="talk-note">{showInvisibleLines(entry.text)}</p>;
    default:
      return entry satisfies never;
  }
}

function Prompt({ entry: { by, text, at } }: { entry: Extract<Entry, { kind: "prompt" }> }) {
  return (
    <>
      <p class="prompt-by">
        <b>{formatAuthor(by)}</b> <time>{formatEntryTime(at)}</time>
      </p>
      <p class="prompt-text">{text}</p>
    </>
  );
}

/** Shows a thought collapsed, with its first words. */
function Thought({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const [first = ""] = text
    .trim()
    .replaceAll(/[*_`#]/g, "")
    .split("\n");
  return (
    <>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="fold-sign" aria-hidden="true" />
        <span class="thought-name">Thought</span>
        {!isOpen && <span class="thought-first">{first}</span>}
      </button>
      {isOpen && <Markdown text={text} />}
    </>
  );
}

const STEPS = { pending: "to do", in_progress: "in progress", completed: "done" };

function Plan({ entry: { steps } }: { entry: Extract<Entry, { kind: "plan" }> }) {
  const done = steps.filter(({ status }) => status === "completed").length;
  return (
    <>
      <p class="plan-head">
        Plan{" "}
        <span>
          {done} of {steps.length}
        </span>
      </p>
      <ol class="plan">
        {steps.map(({ text, status, priority }, at) => (
          <li key={at} data-status={status}>
            <span class="plan-sign" role="img" aria-label={STEPS[status] ?? status} />
            <span class="plan-text">{showInvisibleLines(text)}</span>
            {priority === "high" && <span class="chip">high</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Makes invisible characters visible, except line breaks. */
function showInvisibleLines(text: string): string {
  return text.split("\n").map(showInvisible).join("\n");
}

function formatEntryTime(at: number): string {
  return formatTime(at, Date.now());
}

interface PermissionProps {
  entry: Extract<Entry, { kind: "permission" }>;
  /** The id of the conversation. */
  talk: string;
}

function Permission({ entry, talk }: PermissionProps) {
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
