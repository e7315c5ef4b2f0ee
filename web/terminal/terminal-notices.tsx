// Owns the notices of terminals: requests of others to type where we do, in a live region that is
// always mounted so that screen readers announce them; and the held input for a terminal that is
// being opened. Also owns the hidden field that has the focus while a terminal is being opened and
// no terminal has it: its input is held for the new terminal.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useSession, useVisit } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { takesInput } from "../session/terminal-list.ts";
import { toFieldInput } from "./key-encoding.ts";

const Ask = lazyComponent(async () => (await import("./ask.tsx")).TypingRequest);

export function TerminalNotices() {
  return (
    <>
      <InputCatcher />
      <TypingRequests />
    </>
  );
}

function TypingRequests() {
  const { store } = useSession();
  // Hides requests for an ended terminal, and all of them while the host is offline: an answer would be lost.
  const open = store.controlRequests.value.filter(
    ({ id }) => store.reachable.value && takesInput(store.findTerminal(id)),
  );
  return (
    <div class="toasts" role="log" aria-live="assertive" aria-label="Questions">
      {open.map((ask) => (
        <Ask key={`${ask.id} ${ask.peer}`} ask={ask} />
      ))}
    </div>
  );
}

// If a terminal has the focus, that terminal's input is held instead.

/** A terminal's own input field, which holds its input itself. */
const TERMINAL_INPUT = ".screen .xterm-helper-textarea";

/** A click there abandons the held input; a click on the key bar is typing. */
const ELSEWHERE = '.stage, [role="tab"]';
const KEYS = ".key-bar";

const MODIFIERS: ReadonlySet<string> = new Set(["Alt", "AltGraph", "Control", "Meta", "Shift"]);

function InputCatcher() {
  const { session } = useVisit();
  const { inputHold } = session.store;
  const isHolding = inputHold.isHolding.value;
  const isUnderWay = inputHold.isOpening.value || isHolding;
  useLayoutEffect(() => {
    if (!isUnderWay) return undefined;
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    globalThis.addEventListener(
      "pointerdown",
      ({ target }) => {
        if (!(target instanceof Element) || target.closest(KEYS)) return;
        if (target.closest(ELSEWHERE)) inputHold.leave();
      },
      options,
    );
    globalThis.addEventListener(
      "keydown",
      ({ key }) => {
        // Input is no longer held: this key goes to the focused element, which keeps the focus.
        if (!inputHold.isHolding.peek() && !MODIFIERS.has(key)) inputHold.leave();
      },
      options,
    );
    globalThis.addEventListener("compositionstart", () => inputHold.onComposing(true), options);
    globalThis.addEventListener("compositionend", () => inputHold.onComposing(false), options);
    return () => {
      listening.abort();
      inputHold.onComposing(false);
    };
  }, [isUnderWay, inputHold]);
  if (inputHold.isLate.value) {
    return (
      <div class="toast warn">
        <p>Opening a terminal. The host has not answered yet.</p>
      </div>
    );
  }
  if (!isHolding) return null;
  return (
    <>
      <Field />
      <div class="toast warn">
        <p>Opening a terminal. What you type goes there; Esc cancels.</p>
      </div>
    </>
  );
}

function Field() {
  const { session, commands } = useVisit();
  const { store } = session;
  const { inputHold } = store;
  const field = useRef<HTMLTextAreaElement>(null);
  const hasDialog = store.dialog.value !== undefined;
  useLayoutEffect(() => {
    if (!hasDialog && document.activeElement?.matches(TERMINAL_INPUT) !== true)
      field.current?.focus({ preventScroll: true });
  }, [hasDialog]);
  useLayoutEffect(() => {
    const element = field.current;
    return () => {
      // No terminal was opened: return the focus to the active view.
      if (element !== null && document.activeElement === element) store.views.focus.value += 1;
    };
  }, []);

  /** Passes the field's text on as held input; it can no longer be edited. */
  const seal = (element: HTMLTextAreaElement): void => {
    const { value } = element;
    element.value = "";
    inputHold.draft("");
    if (value !== "") inputHold.take({ kind: "keys", data: value.replaceAll("\n", "\r") });
  };
  const onText = (element: HTMLTextAreaElement): void => {
    // Enter on a phone may arrive as a line break instead of a key.
    if (element.value.includes("\n")) seal(element);
    else inputHold.draft(element.value);
  };
  return (
    <textarea
      ref={field}
      class="visually-hidden"
      aria-label="Input for the new terminal"
      rows={1}
      tabIndex={-1}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      onKeyDown={(event) => {
        if (commands.handles(event, session)) return;
        const data = toFieldInput(event, event.currentTarget.value);
        if (data === undefined) return;
        event.preventDefault();
        seal(event.currentTarget);
        inputHold.take({ kind: "keys", data });
      }}
      onInput={(event) => {
        if (!event.isComposing) onText(event.currentTarget);
      }}
      onCompositionEnd={(event) => onText(event.currentTarget)}
      onPaste={(event) => {
        event.preventDefault();
        seal(event.currentTarget);
        const text = event.clipboardData?.getData("text/plain") ?? "";
        if (text !== "") inputHold.take({ kind: "paste", text });
      }}
      onBlur={(event) => seal(event.currentTarget)}
    />
  );
}
