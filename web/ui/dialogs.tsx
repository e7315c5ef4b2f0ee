// Owns the dialogs. The browser's own modal dialog traps the focus and gives it back.

import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { find } from "../session/tabs.ts";
import { toText } from "../terminal/title.ts";
import { useSession } from "./context.ts";
import { SHORTCUTS } from "./keys.ts";

export function Dialogs() {
  const { store } = useSession();
  const dialog = store.dialog.value;
  if (!dialog) return null;
  switch (dialog.kind) {
    case "help":
      return <HelpDialog />;
    case "close":
      return <CloseDialog id={dialog.id} />;
    default:
      return dialog satisfies never;
  }
}

function HelpDialog() {
  const { store } = useSession();
  return (
    <Modal title="Keyboard">
      <dl class="keys">
        {SHORTCUTS.map(({ keys, text }) => (
          <Fragment key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="hint">
        In the tabs: arrows move, Enter goes into the terminal, Delete closes it. Every other key
        belongs to the terminal.
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => (store.dialog.value = undefined)}>
          Done
        </button>
      </div>
    </Modal>
  );
}

function CloseDialog({ id }: { id: string }) {
  const session = useSession();
  const { store } = session;
  const tab = find(store.tabs.value ?? [], id);
  const running = tab !== undefined && !tab.ended;
  const dismiss = (): void => {
    store.dialog.value = undefined;
  };
  useEffect(() => {
    if (!running) dismiss();
  }, [running]);
  if (!tab) return null;
  return (
    <Modal title={`Close ${toText(store.names.value.get(tab.terminal.id))}?`}>
      <p>It is still running. Closing ends it, with everything in it, for everybody here.</p>
      <div class="actions">
        <button type="button" class="quiet" onClick={dismiss}>
          Keep it
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            dismiss();
            void session.close(id);
          }}
        >
          End and close
        </button>
      </div>
    </Modal>
  );
}

function Modal({ title, children }: { title: string; children: ComponentChildren }) {
  const { store } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Leaving the page before closing would leave the focus nowhere.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={() => (store.dialog.value = undefined)}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="dialog-body">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
