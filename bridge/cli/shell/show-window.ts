// Shows a terminal in the window of a command, from the checks before it to the exit code;
// terminal-window.ts draws it.

import { join } from "node:path";
import type { Terminal } from "../../../protocol/terminal.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { connectLocal } from "../../local/local-socket.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import { ensureWorkspaceFolders } from "../../workspace/folders.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { printWrapped } from "../output/output.ts";
import type { parseDetachKey } from "./detach-key.ts";
import type { WindowFlags } from "./terminal-commands.ts";
import type { WindowOptions } from "./terminal-window.ts";
import { showTerminal } from "./terminal-window.ts";

export async function showInWindow(
  { id, number, recording }: Pick<Terminal, "id" | "number" | "recording">,
  flags: WindowFlags,
  detach: ReturnType<typeof parseDetachKey>,
  options: Pick<WindowOptions, "agents" | "isOpenedHere"> = {},
): Promise<void> {
  const folders = ensureWorkspaceFolders(await findRunningFolder(flags));
  const socket = await connectLocal(join(folders.runtime, "terminal.sock"));
  const watch = flags.watch === true;
  // Shown to people, and short enough to type.
  const word = `${number ?? id}`;
  const displayName = number === undefined ? id : `terminal ${number}`;
  const isRecorded = recording !== undefined;
  const ending = await showTerminal(socket, { id, detach, watch, isRecorded, ...options });
  switch (ending.is) {
    case "exited":
      process.exitCode = ending.code;
      if (ending.signal !== undefined) printWrapped(formatEnded(id, ending.signal));
      return undefined;
    case "gone":
      throw new UserError(
        `${id} ended because the pty host died`,
        ExitCode.unavailable,
        "`pairpty shell` opens another; `pairpty logs --source host` may show why.",
      );
    case "detached":
      if (ending.handedBack) {
        return printWrapped(
          `Detached and handed back. The agent continues in ${displayName} and does not see what was printed meanwhile.`,
        );
      }
      return printWrapped(
        `Detached; ${displayName} keeps running: \`pairpty attach ${word}\`, \`pairpty close ${word}\``,
      );
    case "lost":
      if (ending.why !== undefined) {
        throw new UserError(
          `pairpty ended this connection: ${ending.why}`,
          ExitCode.unavailable,
          `${displayName} keeps running: \`pairpty attach ${word}\`.`,
        );
      }
      throw new UserError(
        "the connection to pairpty is lost",
        ExitCode.unavailable,
        `If it was stopped, its terminals ended too. If it crashed, they are waiting: run \`pairpty\`, then \`pairpty attach ${id}\`.`,
      );
  }
}

/**
 * Closing a terminal sends one of these, and so does a person who kills its program: the two cannot
 * be told apart here.
 */
const CLOSING_SIGNALS: ReadonlySet<string> = new Set(["SIGHUP", "SIGTERM", "SIGKILL"]);

function formatEnded(id: string, signal: string): string {
  const why = CLOSING_SIGNALS.has(signal) ? ": the terminal was closed, or its program killed" : "";
  return `${id} was ended by ${signal}${why}.`;
}

export function assertNotNested(): void {
  const mark = process.env[PROCESS_TAG_ENV];
  if (mark === undefined) return;
  throw new UserError(
    `this is already a pairpty terminal (${mark.split("@")[0]})`,
    ExitCode.usage,
    "Use a terminal that is not shared: a shared terminal cannot show itself.",
  );
}

export function assertTerminal(verb: string): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new UserError(
    `\`pairpty ${verb}\` needs a terminal`,
    ExitCode.usage,
    "Its input and output must not be pipes or files.",
  );
}

export function withoutUndefined(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}
