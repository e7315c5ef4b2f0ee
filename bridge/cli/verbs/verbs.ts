// Owns the commands ls and status, and the completion of ids.

import { join } from "node:path";
import type { Terminal } from "../../../protocol/terminal.ts";
import { escaped } from "../../config/problems.ts";
import { ask } from "../../doors/control/client.ts";
import { foldersWith } from "../../workspace/folders.ts";
import { lineOf } from "../../../protocol/quoting.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { printJson, printLine, say, windowWidth } from "../output/output.ts";
import type { VerbFlags } from "./ask.ts";
import { askBridge } from "./ask.ts";
import type { IdKind } from "./id-kinds.ts";
import { statusText } from "./status-text.ts";
import { table } from "../output/table.ts";
import { accessText, byNumber, ownerText } from "./terminal-words.ts";

/** The bridge measures for about a second; one that is still starting does not answer. */
const STATUS_TIMEOUT_MS = 4_000;
/** The user is waiting after pressing Tab. */
const COMPLETION_TIMEOUT_MS = 1_000;

export async function list(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "terminals" });
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return say("No open terminals.");
  rows.sort(byNumber);
  const isNamed = rows.some(({ name }) => name !== undefined);
  const named = (name: string): string[] => (isNamed ? [name] : []);
  return printLine(
    table(
      ["ID", "#", ...named("NAME"), "OWNER", "ISOLATION", "ACCESS", "SIZE", "COMMAND", "FOLDER"],
      rows.map((terminal) => [
        terminal.id,
        `${terminal.number ?? ""}`,
        ...named(terminal.name ?? ""),
        ownerText(terminal),
        terminal.feed === true ? "per command" : (terminal.isolation ?? "none"),
        accessText(terminal),
        `${terminal.cols}×${terminal.rows}`,
        commandText(terminal.command),
        terminal.cwd,
      ]),
      windowWidth(),
    ),
  );
}

/** Prints ids for completion, one per line with its name after a tab; prints nothing on errors. */
export async function listIds(what: IdKind, begun: string, flags: VerbFlags): Promise<void> {
  const folders = foldersWith("runtime", await findRunningFolder(flags));
  if (folders === undefined) return;
  try {
    const offers = await offersOf(what, begun, join(folders.runtime, "bridge.sock"));
    for (const line of offers) printLine(line);
  } catch {
    // An error message would appear in the middle of the user's command line.
  }
}

async function offersOf(what: IdKind, begun: string, path: string): Promise<string[]> {
  const wait = COMPLETION_TIMEOUT_MS;
  switch (what) {
    case "grants": {
      const rows = await ask(path, { verb: "grants" }, wait);
      return (rows ?? []).map(({ id, role, label }) => `${id}\t${role} ${label}`.trimEnd());
    }
    case "terminals": {
      const rows = await ask(path, { verb: "terminals" }, wait);
      return (rows ?? []).map((terminal) => terminalOffer(terminal, begun));
    }
    case "approvals": {
      const rows = await ask(path, { verb: "approvals" }, wait);
      return (rows ?? []).map(
        (row) => `${row.id}\t${escaped(`${row.agent.label} ${lineOf(row)}`)}`,
      );
    }
    case "rules": {
      const rows = await ask(path, { verb: "rules" }, wait);
      return (rows ?? []).map(({ id, label, allows }) => `${id}\t${escaped(`${label} ${allows}`)}`);
    }
  }
}

/**
 * Returns the terminal's number, which is short and visible everywhere; its id once the user types one.
 */
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

/** Returns the command on one line. */
function commandText(command: readonly string[] | undefined): string {
  return (command?.join(" ") ?? "shell").replaceAll(/\p{Cc}+/gu, " ");
}
