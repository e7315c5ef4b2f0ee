// Owns the commands ls and status, and the completion of ids.

import { join } from "node:path";
import type { Terminal } from "../../../protocol/terminal.ts";
import { escapeInvisible } from "../../config/config-problems.ts";
import { requestBridge } from "../../doors/control/control-client.ts";
import { findExistingFolders } from "../../workspace/folders.ts";
import { formatCommandLine } from "../../../protocol/formats.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { printJson, printLine, printNote, getWindowWidth } from "../output/output.ts";
import type { VerbFlags } from "./bridge-request.ts";
import { askBridge } from "./bridge-request.ts";
import type { IdKind } from "../flags/parse-arguments.ts";
import { formatStatus, formatAccess, compareByNumber, formatOwner } from "./list-format.ts";
import { formatTable } from "../output/table.ts";

/** The bridge measures for about a second; one that is still starting does not answer. */
const STATUS_TIMEOUT_MS = 4_000;
/** The user is waiting after pressing Tab. */
const COMPLETION_TIMEOUT_MS = 1_000;

export async function list(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "terminals" });
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return printNote("No open terminals.");
  rows.sort(compareByNumber);
  const isNamed = rows.some(({ name }) => name !== undefined);
  const named = (name: string): string[] => (isNamed ? [name] : []);
  return printLine(
    formatTable(
      ["ID", "#", ...named("NAME"), "OWNER", "ISOLATION", "ACCESS", "SIZE", "COMMAND", "FOLDER"],
      rows.map((terminal) => [
        terminal.id,
        `${terminal.number ?? ""}`,
        ...named(terminal.name ?? ""),
        formatOwner(terminal),
        terminal.feed === true ? "per command" : (terminal.isolation ?? "none"),
        formatAccess(terminal),
        `${terminal.cols}×${terminal.rows}`,
        formatTerminalCommand(terminal.command),
        terminal.cwd,
      ]),
      getWindowWidth(),
    ),
  );
}

/** Prints ids for completion, one per line with its name after a tab; prints nothing on errors. */
export async function listIds(what: IdKind, typed: string, flags: VerbFlags): Promise<void> {
  const folders = findExistingFolders("runtime", await findRunningFolder(flags));
  if (folders === undefined) return;
  try {
    const offers = await listOffers(what, typed, join(folders.runtime, "bridge.sock"));
    for (const line of offers) printLine(line);
  } catch {
    // An error message would appear in the middle of the user's command line.
  }
}

async function listOffers(what: IdKind, typed: string, path: string): Promise<string[]> {
  const wait = COMPLETION_TIMEOUT_MS;
  switch (what) {
    case "grants": {
      const rows = await requestBridge(path, { verb: "grants" }, wait);
      return (rows ?? []).map(({ id, role, label }) => `${id}\t${role} ${label}`.trimEnd());
    }
    case "terminals": {
      const rows = await requestBridge(path, { verb: "terminals" }, wait);
      return (rows ?? []).map((terminal) => formatTerminalOffer(terminal, typed));
    }
    case "approvals": {
      const rows = await requestBridge(path, { verb: "approvals" }, wait);
      return (rows ?? []).map(
        (row) => `${row.id}\t${escapeInvisible(`${row.agent.label} ${formatCommandLine(row)}`)}`,
      );
    }
    case "rules": {
      const rows = await requestBridge(path, { verb: "rules" }, wait);
      return (rows ?? []).map(
        ({ id, label, allows }) => `${id}\t${escapeInvisible(`${label} ${allows}`)}`,
      );
    }
  }
}

/**
 * Returns the terminal's number, which is short and visible everywhere; its id once the user types one.
 */
function formatTerminalOffer({ id, number, owner, command }: Terminal, typed: string): string {
  const words = `${owner} ${formatTerminalCommand(command)}`;
  return number === undefined || typed.startsWith("p")
    ? `${id}\t${words}`
    : `${number}\t${id} ${words}`;
}

export async function status(flags: VerbFlags): Promise<void> {
  const state = await askBridge(flags, { verb: "status" }, STATUS_TIMEOUT_MS);
  return flags.json === true
    ? printJson(state)
    : printLine(formatStatus(state, Date.now(), getWindowWidth()));
}

/** Returns the command on one line. */
function formatTerminalCommand(command: readonly string[] | undefined): string {
  return (command?.join(" ") ?? "shell").replaceAll(/\p{Cc}+/gu, " ");
}
