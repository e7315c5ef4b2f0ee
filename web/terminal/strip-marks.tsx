// Owns the marks in the driver strip for what everyone must see: a recording, and agents that may type.

import { grantName } from "../../protocol/names.ts";
import { createContext, getHints, runCommand } from "../commands/command.ts";
import { useSession } from "../context.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import { AGENTS_TYPE, TOGGLE_RECORDING } from "./terminal-commands.ts";

/** Shows everyone that the terminal is recorded; users with edit rights can stop it. */
export function Recording({ known }: { known: TerminalEntry }) {
  const session = useSession();
  const { id, recording } = known.terminal;
  return (
    <>
      <span class="mark bad" title={`${recording?.by} is recording this terminal`}>
        ● Recording
      </span>
      {session.store.mayEdit.value && (
        <button
          type="button"
          class="quiet"
          {...getHints(TOGGLE_RECORDING, "Stop recording")}
          onClick={() => runCommand(TOGGLE_RECORDING, createContext(session, toTerminalView(id)))}
        >
          Stop
        </button>
      )}
    </>
  );
}

/** Shows everyone that agents may type; users with edit rights can stop them. */
export function AgentsType({ known }: { known: TerminalEntry }) {
  const session = useSession();
  const names = (known.terminal.agentsType ?? []).map(grantName);
  return (
    <>
      <span class="mark warn" title={names.join(", ")}>
        Agents can type
      </span>
      {session.store.mayEdit.value && (
        <button
          type="button"
          class="quiet"
          {...getHints(AGENTS_TYPE, "Stop agents from typing here")}
          onClick={() =>
            runCommand(AGENTS_TYPE, createContext(session, toTerminalView(known.terminal.id)))
          }
        >
          Stop
        </button>
      )}
    </>
  );
}
