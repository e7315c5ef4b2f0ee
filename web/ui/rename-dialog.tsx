// Owns the dialog that renames a terminal.

import { useRef, useState } from "preact/hooks";
import { MAX_TITLE_CHARS, getTitleError } from "../../protocol/names.ts";
import { useSession } from "../context.ts";
import { Modal } from "./modal.tsx";

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
