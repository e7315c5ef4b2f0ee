// Owns the dialogs. The browser's own modal dialog traps the focus and gives it back.

import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Scope } from "../commands/command.ts";
import { HELP } from "../commands/frame.ts";
import { Keys } from "../commands/key-caps.tsx";
import { useSession, useVisit } from "../context.ts";
import { PeopleList } from "../people/list.tsx";
import type { Question } from "../session/store.ts";
import { LinkBody } from "../terminal/links/link-dialog.tsx";

export function Dialogs() {
  const { store } = useSession();
  const dialog = store.dialog.value;
  if (!dialog) return null;
  switch (dialog.kind) {
    case "help":
      return <HelpDialog />;
    case "people":
      return (
        <Modal title="People" look="wide">
          <PeopleList />
          <div class="actions">
            <button type="button" class="primary" onClick={() => (store.dialog.value = undefined)}>
              Done
            </button>
          </div>
        </Modal>
      );
    case "confirm":
      return <ConfirmDialog question={dialog.question()} />;
    case "link":
      return (
        <Modal title="Open this link?">
          <LinkBody link={dialog.link} onDone={close} />
        </Modal>
      );
    default:
      return dialog satisfies never;
  }
}

function HelpDialog() {
  return (
    <Modal title={HELP.title} look="wide">
      <div class="columns">
        <KeyList scope="page" />
        <div>
          <h3>In the tab bar</h3>
          <KeyList scope="tabs" />
          <h3>On an agent’s question</h3>
          <KeyList scope="question" />
          <h3>In a conversation</h3>
          <KeyList scope="conversation" />
          <h3>While finding</h3>
          <KeyList scope="find" />
        </div>
      </div>
      <p class="hint">The terminal gets every other key.</p>
      <div class="actions">
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Modal>
  );
}

function KeyList({ scope }: { scope: Scope }) {
  const { commands } = useVisit();
  return (
    <dl class="keys">
      {commands.of(scope).map(({ id, keys, title }) => (
        <Fragment key={id}>
          <dt>
            <Keys of={keys} />
          </dt>
          <dd>{title}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function ConfirmDialog({ question }: { question: Question | undefined }) {
  const { store } = useSession();
  const dismiss = (): void => {
    store.dialog.value = undefined;
  };
  useEffect(() => {
    if (!question) dismiss();
  }, [question === undefined]);
  if (!question) return null;
  return (
    <Modal title={question.title}>
      <p>{question.text}</p>
      <div class="actions">
        <button type="button" class="quiet" onClick={close}>
          {question.no}
        </button>
        <button
          type="button"
          class="danger"
          onClick={(event) => {
            close(event);
            dismiss();
            question.run();
          }}
        >
          {question.yes}
        </button>
      </div>
    </Modal>
  );
}

/** By the browser: it gives the focus back, which a dialog that is merely taken away does not. */
function close({ currentTarget }: { currentTarget: Element }): void {
  currentTarget.closest("dialog")?.close();
}

interface ModalProps {
  title: string;
  look?: string;
  children: ComponentChildren;
}

function Modal({ title, look, children }: ModalProps) {
  const { store } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const mine = useRef(store.dialog.peek());
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The button that it focuses may be far below.
    element?.scrollTo(0, 0);
    // Leaving the page before closing would leave the focus nowhere.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={look}
      aria-labelledby="dialog-title"
      // Told a moment later, when there may be another.
      onClose={() => {
        if (store.dialog.peek() === mine.current) store.dialog.value = undefined;
      }}
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
