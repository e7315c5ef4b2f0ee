// Owns `pairpty record`: starts, stops and lists recordings.

import { formatDuration } from "../../../protocol/times.ts";
import { resolve } from "node:path";
import { bytesInWords, clockOf } from "../../../protocol/figures.ts";
import type { RecordingRow } from "../../../protocol/recordings.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { typed, typedHere } from "../output/command-name.ts";
import { printJson, printLine, say, windowWidth } from "../output/output.ts";
import { table } from "../output/table.ts";
import { pick } from "../shell/pick.ts";
import type { VerbFlags } from "../verbs/ask.ts";
import { askBridge } from "../verbs/ask.ts";

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
  const { id } = pick(terminals, word);
  const on = flags.stop !== true;
  const out = flags.out === undefined ? {} : { out: resolve(flags.out) };
  const done = await askBridge(flags, { verb: "record", id, on, ...out });
  if (flags.json === true) return printJson(done);
  if (!on) return say(`Recording stopped. \`${typed(`play ${done.path}`)}\` plays it.`);
  return say(
    `Recording to ${done.path}; everyone in the workspace can see that. \`${typedHere(`record ${word ?? id} --stop`)}\` stops it.`,
  );
}

async function list(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "recordings" });
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return say("No recordings.");
  return printLine(listText(rows, Date.now(), windowWidth()));
}

function listText(
  rows: readonly (RecordingRow & { readonly path: string })[],
  now: number,
  width?: number,
): string {
  return table(
    ["STARTED", "LASTS", "SIZE", "TITLE", "FILE"],
    rows.map(({ startedAt, seconds, bytes, title, path, running }) => [
      `${formatDuration(now - startedAt)} ago`,
      running === true ? "recording" : clockOf(seconds),
      bytesInWords(bytes),
      title,
      path,
    ]),
    width,
  );
}
