// Owns where people write to an agent: the prompt, the commands that the agent offers, and its
// modes. The text stays until the conversation contains it. Also owns completing the slash commands
// that an agent offers.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../../protocol/conversation.ts";
import { MAX_PROMPT_CHARS } from "../../protocol/conversation.ts";
import { createContext, getHints, runCommand } from "../commands/command.ts";
import { useVisit } from "../context.ts";
import { toConversationView } from "../session/conversations.ts";
import { showInvisible } from "../session/visible-text.ts";
import { inputBlockedReason, setMode, SEND_PROMPT } from "./commands.ts";

export function Composer({ conversation }: { conversation: Conversation }) {
  const { session, commands } = useVisit();
  const { store } = session;
  const { id, state, agent } = conversation;
  const draft = store.conversations.draft(id);
  const area = useRef<HTMLTextAreaElement>(null);
  const [cursor, setCursor] = useState(0);
  const [selected, setSelected] = useState(0);
  const [isClosed, setClosed] = useState(false);
  useAutoHeight(area, draft.text);
  const why = store.readOnlyReason("talk to agents");
  if (why !== undefined) return <p class="talk-readonly">{why}</p>;
  if (state === "ended") return null;

  const offers = isClosed ? [] : findOffers(draft.text, cursor, conversation.commands);
  const chosen = offers[Math.min(selected, offers.length - 1)];
  const blockedReason = inputBlockedReason(store);
  const isOff = blockedReason !== undefined || draft.sent || draft.text.trim() === "";
  const follow = (): void => setCursor(area.current?.selectionStart ?? 0);
  const write = (text: string): void => {
    store.conversations.write(id, text);
    setSelected(0);
    setClosed(false);
  };
  const complete = (offered: OfferedCommand): void => {
    const after = applyCompletion(draft.text, cursor, offered);
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
    if (step !== undefined) setSelected((selected + step + offers.length) % offers.length);
    else if (event.key === "Escape") setClosed(true);
    else if (event.key === "Tab" || (event.key === "Enter" && !isFullyTyped(draft.text, chosen)))
      complete(chosen);
    else return false;
    event.preventDefault();
    return true;
  };
  const listId = `offers-${id}`;
  const hint = findHint(draft.text, conversation.commands);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        runCommand(SEND_PROMPT, createContext(session, toConversationView(id)));
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
              <b>/{showInvisible(offered.name)}</b>{" "}
              <span>{showInvisible(offered.description)}</span>
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
          aria-label={`Message to ${showInvisible(agent.label)}`}
          aria-autocomplete="list"
          aria-controls={offers.length > 0 ? listId : undefined}
          aria-activedescendant={chosen && `${listId}-${offers.indexOf(chosen)}`}
          aria-describedby={`composer-status-${id}`}
          placeholder={formatPlaceholder(conversation)}
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
        <button type="submit" class="primary" {...getHints(SEND_PROMPT)} aria-disabled={isOff}>
          Send
        </button>
      </div>
      <div class="composer-end">
        <p id={`composer-status-${id}`} role="status" data-tone={draft.refusal && "bad"}>
          {draft.refusal ?? (draft.sent ? "Sending…" : (blockedReason ?? hint))}
        </p>
        <Modes conversation={conversation} isOff={blockedReason !== undefined} />
      </div>
    </form>
  );
}

/** Whether the command is fully typed: then Enter sends it. */
function isFullyTyped(text: string, { name }: OfferedCommand): boolean {
  return text.trim() === `/${name}`;
}

function formatPlaceholder({ state, commands, agent }: Conversation): string {
  if (state === "lost") return `${showInvisible(agent.label)} is not connected`;
  const slash = commands.length > 0 ? " · / for its commands" : "";
  return `Message ${showInvisible(agent.label)}${slash}`;
}

function Modes({ conversation, isOff }: { conversation: Conversation; isOff: boolean }) {
  const { session } = useVisit();
  const { id, modes, state } = conversation;
  if (!modes || modes.available.length === 0) return null;
  const current = modes.available.find((mode) => mode.id === modes.current);
  return (
    <label class="modes" title={current?.description && showInvisible(current.description)}>
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
        {!current && <option value={modes.current}>{showInvisible(modes.current)}</option>}
        {modes.available.map((mode) => (
          <option key={mode.id} value={mode.id}>
            {showInvisible(mode.name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Resizes the field to its text, up to the CSS maximum. */
function useAutoHeight(area: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
}

type OfferedCommand = Conversation["commands"][number];

/** More would be hard to choose from. */
const MAX_OFFERS = 8;

/** Returns commands that match the text before the cursor; none if no command is typed. */
export function findOffers(
  text: string,
  cursor: number,
  commands: readonly OfferedCommand[],
): OfferedCommand[] {
  const [, word] = /^\/(\S*)$/.exec(text.slice(0, cursor)) ?? [];
  if (word === undefined) return [];
  const wanted = word.toLowerCase();
  const begins = ({ name }: OfferedCommand): boolean => name.toLowerCase().startsWith(wanted);
  const contains = ({ name }: OfferedCommand): boolean => name.toLowerCase().includes(wanted);
  const first = commands.filter(begins);
  const others = commands.filter((one) => !begins(one) && contains(one));
  return [...first, ...others].slice(0, MAX_OFFERS);
}

/** Replaces the typed part with the whole command; the text after it stays. */
export function applyCompletion(
  text: string,
  cursor: number,
  { name }: OfferedCommand,
): { text: string; cursor: number } {
  const rest = text.slice(cursor).replace(/^\S*[ \t]?/, "");
  const written = `/${name} `;
  return { text: written + rest, cursor: written.length };
}

/** Returns the agent's hint for the argument of a command that has none yet. */
export function findHint(text: string, commands: readonly OfferedCommand[]): string | undefined {
  const [, name] = /^\/(\S+)\s*$/.exec(text) ?? [];
  return commands.find((one) => one.name === name)?.hint;
}
