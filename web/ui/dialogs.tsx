// Owns which dialog is shown.

import { useEffect } from "preact/hooks";
import { useSession } from "../context.ts";
import { lazily } from "../lazy.tsx";
import type { Question } from "../session/store.ts";
import { close, Modal } from "./modal.tsx";

const PeopleList = lazily(async () => (await import("../people/list.tsx")).PeopleList);

const HelpDialog = lazily(async () => (await import("./help-dialog.tsx")).HelpDialog);
const LinkDialog = lazily(async () => (await import("./link-dialog.tsx")).LinkDialog);

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
