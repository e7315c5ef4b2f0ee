// Owns one entry of a conversation, of any kind. Redrawn only when it changes.

import { formatTime } from "../../protocol/formats.ts";
import type { ReadonlySignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import { showInvisible } from "../session/visible-text.ts";
import { Markdown } from "./prose.tsx";
import { Permission } from "./permission.tsx";
import { Tool } from "./tool.tsx";
import { formatTurnEnd, formatKind, formatAuthor } from "./conversation-texts.ts";

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
