// Owns the page of a workspace without terminals.

import { CommandButton, Keys } from "../commands/command-button.tsx";
import { SHOW_SHORTCUTS } from "../commands/frame-commands.ts";
import { useSession } from "../context.ts";
import { Logo } from "./header.tsx";

export function EmptyPage() {
  const { store } = useSession();
  const { open } = store.kinds.terminal;
  return (
    <div class="empty">
      <Logo />
      <h2>No terminals yet</h2>
      {store.mayEdit.value ? (
        <>
          <p>A terminal is a shell on the host’s machine. Everyone with a link sees it live.</p>
          <CommandButton command={open} class="primary">
            {open.title}
          </CommandButton>
          <p class="hint">
            <Keys of={open.keys} /> opens one too · <Keys of={SHOW_SHORTCUTS.keys} /> shows all
            shortcuts
          </p>
        </>
      ) : (
        <p>Terminals appear here as soon as someone opens one.</p>
      )}
    </div>
  );
}
