// Owns the list of keyboard shortcuts.

import { Fragment } from "preact";
import type { Scope } from "../commands/command.ts";
import { SHOW_SHORTCUTS } from "../commands/frame-commands.ts";
import { Keys } from "../commands/command-button.tsx";
import { useSession, useVisit } from "../context.ts";
import { closeDialog, Modal } from "./modal.tsx";

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
