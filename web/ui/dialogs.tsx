// Owns which dialog is shown, and the small ones: a terminal's link, the palette, renaming, the
// list of keyboard shortcuts. Loaded after the first prompt.

import type { ComponentProps } from "preact";
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { MAX_TITLE_CHARS, getTitleError } from "../../protocol/names.ts";
import { Keys } from "../commands/command-button.tsx";
import type { Scope } from "../commands/command.ts";
import { SHOW_SHORTCUTS } from "../commands/frame-commands.ts";
import { useSession, useVisit } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { PaletteBody } from "../palette/palette.tsx";
import { PeopleList } from "../people/list.tsx";
import type { Question } from "../session/store.ts";
import { LinkBody } from "../terminal/links/link-dialog.tsx";
import { closeDialog, Modal } from "./modal.tsx";
import { TabList } from "./tab-list.tsx";

const ConnectDialog = lazyComponent(
  async () => (await import("./connect-dialog.tsx")).ConnectDialog,
);
const Recordings = lazyComponent(async () => (await import("../recordings/list.tsx")).Recordings);
const SettingsDialog = lazyComponent(
  async () => (await import("./settings-dialog.tsx")).SettingsDialog,
);

export function Dialogs() {
  const { store } = useSession();
  const dialog = store.dialog.value;
  if (!dialog) return null;
  switch (dialog.kind) {
    case "help":
      return <HelpDialog />;
    case "palette":
      return <PaletteDialog />;
    case "settings":
      return <SettingsDialog />;
    case "connect":
      return <ConnectDialog />;
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
    case "recordings":
      return (
        <Modal title="Recordings" look="wide">
          <Recordings />
          <div class="actions">
            <button type="button" class="quiet" onClick={closeDialog}>
              Done
            </button>
          </div>
        </Modal>
      );
    case "confirm":
      return <ConfirmDialog question={dialog.question()} />;
    case "tabs":
      return <TabList />;
    case "rename":
      return <RenameDialog id={dialog.id} />;
    case "link":
      return <LinkDialog link={dialog.link} />;
    default:
      return dialog satisfies never;
  }
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
        <button type="button" class="quiet" onClick={closeDialog}>
          {question.no}
        </button>
        <button
          type="button"
          class="danger"
          onClick={(event) => {
            closeDialog(event);
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

export function LinkDialog({ link }: Pick<ComponentProps<typeof LinkBody>, "link">) {
  return (
    <Modal title="Open this link?">
      <LinkBody link={link} onDone={closeDialog} />
    </Modal>
  );
}

export function PaletteDialog() {
  const inside = useRef<HTMLDivElement>(null);
  return (
    <Modal title="Commands and tabs" look="palette-dialog">
      <div ref={inside}>
        <PaletteBody onDone={() => inside.current?.closest("dialog")?.close()} />
      </div>
    </Modal>
  );
}

export function RenameDialog({ id }: { id: string }) {
  const session = useSession();
  const { store } = session;
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState("");
  const known = store.findTerminal(id);
  const save = (event: Event): void => {
    event.preventDefault();
    const name = (field.current?.value ?? "").trim();
    const why = getTitleError(name);
    if (why !== undefined) return setError(`${why}.`);
    session.send({ type: "pty:rename", id, name });
    store.dialog.value = undefined;
    return undefined;
  };
  return (
    <Modal title="Name this terminal">
      <form class="rename" onSubmit={save}>
        <label for="terminal-name">
          Everyone here sees this name. Leave it empty to use the default.
        </label>
        <div class="row">
          <input
            ref={field}
            id="terminal-name"
            type="text"
            maxLength={MAX_TITLE_CHARS}
            autocomplete="off"
            aria-invalid={error !== ""}
            aria-describedby="rename-fault"
            defaultValue={known?.terminal.name ?? ""}
            placeholder={store.names.value.get(id)?.text}
          />
          <button type="submit" class="primary">
            Save
          </button>
        </div>
        <p id="rename-fault" class="fault" role="alert">
          {error}
        </p>
      </form>
    </Modal>
  );
}

export function HelpDialog() {
  const { store } = useSession();
  return (
    <Modal title={SHOW_SHORTCUTS.title} look="wide">
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
        <button
          type="button"
          class="quiet"
          onClick={() => (store.dialog.value = { kind: "settings" })}
        >
          Settings
        </button>
        <button type="button" class="primary" onClick={closeDialog}>
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
      {commands.listByScope(scope).map(({ id, keys, title }) => (
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
