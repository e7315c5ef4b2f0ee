// Owns drawing one conversation: its agent, the entries, and the composer. This file and its
// imports are loaded when a conversation is first shown. Also owns the line with a conversation's
// state and the possible actions.

import { useEffect, useRef } from "preact/hooks";
import type { Conversation } from "../../protocol/conversation.ts";
import { formatDuration } from "../../protocol/formats.ts";
import { CommandButton } from "../commands/command-button.tsx";
import { CLOSE_VIEW } from "../commands/frame-commands.ts";
import { useSession, useVisit, useNow } from "../context.ts";
import { toConversationView } from "../session/conversations.ts";
import { showInvisible } from "../session/visible-text.ts";
import { NEW_CONVERSATION, CANCEL_TURN } from "./commands.ts";
import { Composer } from "./composer.tsx";
import { formatState } from "./conversation-texts.ts";
import "./conversation.css";
import "./tool-calls.css";
import "./markdown.css";
import "./composer.css";
import { EntryList } from "./entry-list.tsx";
import { formatProgram } from "./kind.tsx";

export function ConversationPane({ id, active }: { id: string; active: boolean }) {
  const { session, commands } = useVisit();
  const { store } = session;
  const conversation = store.conversations.find(id);
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => session.openConversation(id), [id, session]);
  const focus = store.views.focus.value;
  useEffect(() => {
    // On a phone the focus opens the keyboard, so entering the view must not set it.
    if (!active || focus === 0 || store.dialog.peek()) return;
    const composer = pane.current?.querySelector<HTMLElement>("textarea");
    const isTouched = matchMedia("(pointer: coarse)").matches;
    if (composer && !isTouched) composer.focus();
    else pane.current?.querySelector<HTMLElement>(".talk-feed")?.focus();
  }, [active, focus]);
  if (!conversation) return <p class="waiting">This conversation is no longer here.</p>;
  return (
    <div
      class="talk"
      ref={pane}
      onKeyDown={(event) => {
        if (event.target instanceof HTMLTextAreaElement || event.defaultPrevented) return;
        // Elsewhere in the pane only keys without text count: Enter presses buttons.
        if (event.key === "Escape" && !isInQuestion(event.target))
          commands.onKeyDown(event, session, "conversation");
      }}
    >
      <Head conversation={conversation} />
      <EntryList conversation={conversation} active={active} />
      <div class="talk-foot">
        <StateLine conversation={conversation} />
        <Composer conversation={conversation} />
      </div>
    </div>
  );
}

function Head({ conversation }: { conversation: Conversation }) {
  const { store } = useSession();
  const { agent, title, cwd, isolation } = conversation;
  const program = formatProgram(conversation);
  return (
    <header class="talk-head">
      <h2>
        <b>{showInvisible(agent.label)}</b>
        {title !== "" && <span class="talk-title">{showInvisible(title)}</span>}
      </h2>
      <p class="talk-facts">
        {program !== "" && <span class="if-wide">{showInvisible(program)}</span>}
        {isolation !== "none" && <span class="chip">{isolation}</span>}
        <span class="path if-wide" title={showInvisible(cwd)}>
          {showInvisible(cwd)}
        </span>
      </p>
      {store.mayEdit.value && (
        <CommandButton
          command={NEW_CONVERSATION}
          view={toConversationView(conversation.id)}
          class="icon-button"
          label={NEW_CONVERSATION.title}
        >
          +
        </CommandButton>
      )}
    </header>
  );
}

/** Whether the target is in a question, where Escape leaves the question open. */
function isInQuestion(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".question") !== null;
}

export function StateLine({ conversation }: { conversation: Conversation }) {
  const { store } = useSession();
  const { id, state } = conversation;
  const isCancelling = store.conversations.cancelling.value.has(id);
  const message = isCancelling ? "Cancelling…" : formatState(conversation);
  const view = toConversationView(id);
  return (
    <div class="talk-state" data-state={state}>
      <p role="status">
        {message !== undefined && (
          <>
            {state !== "ended" && <span class="dot" aria-hidden="true" />}
            <span>{message}</span>
          </>
        )}
      </p>
      {state === "working" && <Elapsed id={id} />}
      {state === "working" && store.mayEdit.value && (
        <CommandButton command={CANCEL_TURN} view={view} class="quiet">
          Cancel
        </CommandButton>
      )}
      {state === "ended" && (
        <CommandButton command={CLOSE_VIEW} view={view} class="quiet" title="Dismiss this tab">
          Dismiss
        </CommandButton>
      )}
    </div>
  );
}

/** Shows the time since the last prompt, outside the status that screen readers announce. */
function Elapsed({ id }: { id: string }) {
  const { conversations } = useSession().store;
  const transcript = conversations.getTranscript(id);
  const now = useNow(true);
  const last = transcript.ids.value.findLast(
    (one) => transcript.entry(one)?.peek().kind === "prompt",
  );
  const since = last === undefined ? undefined : transcript.entry(last)?.peek().at;
  if (since === undefined) return null;
  return (
    <span class="talk-time" aria-hidden="true">
      {formatDuration(now - since)}
    </span>
  );
}
