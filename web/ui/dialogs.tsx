// Owns which dialog is shown. Loaded after the first prompt.

import { useEffect } from "preact/hooks";
import { useSession } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { PeopleList } from "../people/list.tsx";
import type { Question } from "../session/store.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { closeDialog, Modal } from "./modal.tsx";
import { PaletteDialog } from "./palette-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
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
