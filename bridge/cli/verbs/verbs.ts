// Owns the verbs that talk to a running bridge: ls, status, and completion of ids.

import { join } from "node:path";
import type { Terminal } from "../../../protocol/terminal.ts";
import { ask } from "../../doors/control/client.ts";
import { foldersWith } from "../../workspace/folders.ts";
import { currentFolder } from "../flags/options.ts";
import { printJson, printLine, say, windowWidth } from "../output/output.ts";
import type { VerbFlags } from "./ask.ts";
import { askBridge } from "./ask.ts";
import { statusText } from "./status-text.ts";
import { table } from "../output/table.ts";

/** The bridge measures for a second at most; one that is still starting answers nobody. */
const STATUS_TIMEOUT_MS = 4_000;
/** Somebody waits with a finger on Tab. */
const COMPLETION_TIMEOUT_MS = 1_000;

export async function list(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "terminals" });
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return say("no terminals are open");
  return printLine(
    table(
      ["ID", "#", "OWNER", "SIZE", "COMMAND", "FOLDER"],
      rows.map(({ id, number, owner, cols, rows: lines, command, cwd }) => [
        id,
        `${number ?? ""}`,
        owner,
        `${cols}×${lines}`,
        commandText(command),
        cwd,
      ]),
    ),
  );
}

/** For completion: what there is, one a line with its name behind a tab; nothing is no mistake. */
export async function listIds(
  what: "grants" | "terminals",
  begun: string,
  flags: VerbFlags,
): Promise<void> {
  const folders = foldersWith("runtime", flags.cwd ?? currentFolder());
  if (folders === undefined) return;
  const path = join(folders.runtime, "bridge.sock");
  const told = (lines: string[]) => lines.forEach((line) => printLine(line));
  try {
    if (what === "grants") {
      const rows = await ask(path, { verb: "grants" }, COMPLETION_TIMEOUT_MS);
      told((rows ?? []).map(({ id, role, label }) => `${id}\t${role} ${label}`.trimEnd()));
      return;
    }
    const rows = await ask(path, { verb: "terminals" }, COMPLETION_TIMEOUT_MS);
    told((rows ?? []).map((terminal) => terminalOffer(terminal, begun)));
  } catch {
    // Somebody pressed Tab: no answer is better than a sentence in the middle of their line.
  }
}

/** By its number, which is short and on everybody's screen, until somebody begins to type an id. */
function terminalOffer({ id, number, owner, command }: Terminal, begun: string): string {
  const words = `${owner} ${commandText(command)}`;
  return number === undefined || begun.startsWith("p")
    ? `${id}\t${words}`
    : `${number}\t${id} ${words}`;
}

export async function status(flags: VerbFlags): Promise<void> {
  const state = await askBridge(flags, { verb: "status" }, STATUS_TIMEOUT_MS);
  return flags.json === true
    ? printJson(state)
    : printLine(statusText(state, Date.now(), windowWidth()));
}

/** On one line, whatever is in it. */
function commandText(command: readonly string[] | undefined): string {
  return (command?.join(" ") ?? "shell").replaceAll(/\p{Cc}+/gu, " ");
}
