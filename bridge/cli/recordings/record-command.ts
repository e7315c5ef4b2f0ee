// Owns `pairpty record`: starts, stops and lists recordings.

import { formatDuration, formatBytes, formatClock } from "../../../protocol/formats.ts";
import { resolve } from "node:path";
import type { RecordingRow } from "../../../protocol/http.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { formatCommand, formatCommandHere } from "../output/command-name.ts";
import { printJson, printLine, printNote, getWindowWidth } from "../output/output.ts";
import { formatTable } from "../output/table.ts";
import { pickTerminal } from "../shell/pick-terminal.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";
import { askBridge } from "../verbs/bridge-request.ts";

export interface RecordFlags extends VerbFlags {
  readonly out?: string;
  readonly stop?: boolean;
}

export async function record(word: string | undefined, flags: RecordFlags): Promise<void> {
  if (flags.stop === true && flags.out !== undefined) {
    throw new UserError(
      "--stop and --out exclude each other",
      ExitCode.usage,
      "Leave one of them out.",
    );
  }
  if (word === undefined && flags.stop !== true && flags.out === undefined) {
    return await list(flags);
  }
  const terminals = await askBridge(flags, { verb: "terminals" });
  const { id } = pickTerminal(terminals, word);
  const on = flags.stop !== true;
  const out = flags.out === undefined ? {} : { out: resolve(flags.out) };
  const result = await askBridge(flags, { verb: "record", id, on, ...out });
  if (flags.json === true) return printJson(result);
  if (!on)
    return printNote(`Recording stopped. \`${formatCommand(`play ${result.path}`)}\` plays it.`);
  return printNote(
    `Recording to ${result.path}; everyone in the workspace can see that. \`${formatCommandHere(`record ${word ?? id} --stop`)}\` stops it.`,
  );
}

async function list(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "recordings" });
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return printNote("No recordings.");
  return printLine(formatRecordings(rows, Date.now(), getWindowWidth()));
}

function formatRecordings(
  rows: readonly (RecordingRow & { readonly path: string })[],
  now: number,
  width?: number,
): string {
  return formatTable(
    ["STARTED", "LASTS", "SIZE", "TITLE", "FILE"],
    rows.map(({ startedAt, seconds, bytes, title, path, running }) => [
      `${formatDuration(now - startedAt)} ago`,
      running === true ? "recording" : formatClock(seconds),
      formatBytes(bytes),
      title,
      path,
    ]),
    width,
  );
}
