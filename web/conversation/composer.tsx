// Owns where people write to an agent: the prompt, the commands that the agent offers, and its
// modes. The text stays until the conversation contains it.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../../protocol/conversation.ts";
import { MAX_PROMPT_CHARS } from "../../protocol/conversation.ts";
import { aimOf, hintsOf, perform } from "../commands/command.ts";
import { useVisit } from "../context.ts";
import { talkOf } from "../session/conversations.ts";
import { seen } from "../session/lines.ts";
import { hindranceOf, setMode } from "./actions.ts";
import { SEND } from "./commands.ts";
import type { Offered } from "./completion.ts";
import { completed, hintFor, offersFor } from "./completion.ts";

export function Composer({ conversation }: { conversation: Conversation }) {
  const { session, commands } = useVisit();
  const { store } = session;
  const { id, state, agent } = conversation;
  const draft = store.conversations.draft(id);
  const area = useRef<HTMLTextAreaElement>(null);
  const [cursor, setCursor] = useState(0);
  const [picked, setPicked] = useState(0);
  const [isClosed, setClosed] = useState(false);
  useHeight(area, draft.text);
  const why = store.whyReadOnly("talk to agents");
  if (why !== undefined) return <p class="talk-readonly">{why}</p>;
  if (state === "ended") return null;

  const offers = isClosed ? [] : offersFor(draft.text, cursor, conversation.commands);
  const chosen = offers[Math.min(picked, offers.length - 1)];
  const hindrance = hindranceOf(store);
  const isOff = hindrance !== undefined || draft.sent || draft.text.trim() === "";
  const follow = (): void => setCursor(area.current?.selectionStart ?? 0);
  const write = (text: string): void => {
    store.conversations.write(id, text);
    setPicked(0);
    setClosed(false);
  };
  const complete = (offered: Offered): void => {
    const after = completed(draft.text, cursor, offered);
    write(after.text);
    const element = area.current;
    if (!element) return;
    // Immediately, so that the next typed letter follows the command.
    element.value = after.text;
    element.focus();
    element.setSelectionRange(after.cursor, after.cursor);
    setCursor(after.cursor);
  };
  const onListKey = (event: KeyboardEvent): boolean => {
    if (!chosen || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPicked((picked + step + offers.length) % offers.length);
    else if (event.key === "Escape") setClosed(true);
    else if (event.key === "Tab" || (event.key === "Enter" && !isWritten(draft.text, chosen)))
      complete(chosen);
    else return false;
    event.preventDefault();
    return true;
  };
  const listId = `offers-${id}`;
  const hint = hintFor(draft.text, conversation.commands);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        perform(SEND, aimOf(session, talkOf(id)));
      }}
    >
      {offers.length > 0 && (
        <ul class="offers" id={listId} role="listbox" aria-label="The agent’s commands">
          {offers.map((offered, at) => (
            <li
              key={offered.name}
              id={`${listId}-${at}`}
              role="option"
              aria-selected={offered === chosen}
              onPointerDown={(event) => {
                event.preventDefault();
                complete(offered);
              }}
            >
              <b>/{seen(offered.name)}</b> <span>{seen(offered.description)}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="composer-row">
        <textarea
          ref={area}
          rows={1}
          value={draft.text}
          readOnly={draft.sent}
          maxLength={MAX_PROMPT_CHARS}
          aria-label={`Message to ${seen(agent.label)}`}
          aria-autocomplete="list"
          aria-controls={offers.length > 0 ? listId : undefined}
          aria-activedescendant={chosen && `${listId}-${offers.indexOf(chosen)}`}
          aria-describedby={`composer-told-${id}`}
          placeholder={placeholderOf(conversation)}
          enterkeyhint="send"
          onInput={(event) => {
            write(event.currentTarget.value);
            follow();
          }}
          onSelect={follow}
          onKeyDown={(event) => {
            // While a word is being composed, Enter belongs to the input method.
            if (event.isComposing || onListKey(event)) return;
            commands.onKeyDown(event, session, "conversation");
          }}
        />
        <button type="submit" class="primary" {...hintsOf(SEND)} aria-disabled={isOff}>
          Send
        </button>
      </div>
      <div class="composer-end">
        <p id={`composer-told-${id}`} role="status" data-tone={draft.refusal && "bad"}>
          {draft.refusal ?? (draft.sent ? "Sending…" : (hindrance ?? hint))}
        </p>
        <Modes conversation={conversation} isOff={hindrance !== undefined} />
      </div>
    </form>
  );
}

/** Whether the command is fully typed: then Enter sends it. */
function isWritten(text: string, { name }: Offered): boolean {
  return text.trim() === `/${name}`;
}

function placeholderOf({ state, commands, agent }: Conversation): string {
  if (state === "lost") return `${seen(agent.label)} is not connected`;
  const slash = commands.length > 0 ? " · / for its commands" : "";
  return `Message ${seen(agent.label)}${slash}`;
}

function Modes({ conversation, isOff }: { conversation: Conversation; isOff: boolean }) {
  const { session } = useVisit();
  const { id, modes, state } = conversation;
  if (!modes || modes.available.length === 0) return null;
  const current = modes.available.find((mode) => mode.id === modes.current);
  return (
    <label class="modes" title={current?.description && seen(current.description)}>
      <span>Mode</span>
      <select
        value={modes.current}
        disabled={isOff || state === "lost"}
        onChange={(event) => {
          setMode(session, id, event.currentTarget.value);
          // Keep the current mode until the agent confirms the new one.
          event.currentTarget.value = modes.current;
        }}
      >
        {!current && <option value={modes.current}>{seen(modes.current)}</option>}
        {modes.available.map((mode) => (
          <option key={mode.id} value={mode.id}>
            {seen(mode.name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Resizes the field to its text, up to the CSS maximum. */
function useHeight(area: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
}
