// Owns `pairpty record`: starting and stopping a recording, and the list of them.

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
    throw new UserError("--stop takes no --out", ExitCode.usage, "Leave one of them out.");
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
  if (!on) return say(`stopped; \`${typed(`play ${done.path}`)}\` plays it`);
  return say(
    `recording to ${done.path}; everybody in the room sees that. \`${typedHere(`record ${word ?? id} --stop`)}\` stops`,
  );
}

async function list(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "recordings" });
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return say("there are no recordings");
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
      running === true ? "runs" : clockOf(seconds),
      bytesInWords(bytes),
      title,
      path,
    ]),
    width,
  );
}
