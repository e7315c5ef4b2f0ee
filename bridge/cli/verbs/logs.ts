// Owns `pairpty logs`: prints the logs of bridge, pty host and relay, merged by time, or those of a
// self-hosted relay.

import { formatTime } from "../../../protocol/times.ts";
import { existsSync, watch } from "node:fs";
import { join, resolve } from "node:path";
import { ExitCode, UserError } from "../../errors.ts";
import { parseDuration } from "../../grants/duration.ts";
import type { LineLevel } from "../../logs/levels.ts";
import type { LogLine, Wanted } from "../../logs/line.ts";
import { isWanted, mergeLines, readLogLines } from "../../logs/line.ts";
import type { LogSource } from "../../logs/places.ts";
import { LOG_SOURCES, logFile, logFolder } from "../../logs/places.ts";
import type { Place } from "../../logs/tail.ts";
import { readNew } from "../../logs/tail.ts";
import { usualData } from "../../self-hosted-relay/place.ts";
import { foldersWith, locateFolders, workspaceFolders } from "../../workspace/folders.ts";
import { findKnownFolder } from "../flags/workspace-folder.ts";
import { printLine, say, stdoutColors, tell } from "../output/output.ts";
import { plain } from "../output/plain.ts";

/** A screen or two; --since or --lines show more. */
const USUAL_LINES = 200;
/** Polls as well, since some network disks report no changes. */
const LOOK_EVERY_MS = 1_000;

export interface LogsFlags {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly level: LineLevel;
  readonly source?: LogSource;
  readonly since?: string;
  readonly lines?: number;
  /** True without a folder: the default data folder of a relay. */
  readonly data?: string | true;
}

export async function logs(flags: LogsFlags): Promise<void> {
  const { name, folder, sources: all } = await whose(flags);
  const wanted: Wanted = { least: flags.level, since: sinceOf(flags.since) };
  if (folder === undefined) {
    if (flags.json !== true) say(nothingIn(name));
    return;
  }
  const places = new Map<LogSource, Place | undefined>();
  const sources = (flags.source === undefined ? all : [flags.source]).map((source) => ({
    source,
    path: logFile(folder, source),
  }));
  const fresh = () =>
    mergeLines(
      sources.map(({ source, path }) => {
        const { text, place } = readNew(path, places.get(source));
        places.set(source, place);
        return readLogLines(text, source, Date.now());
      }),
    ).filter((line) => isWanted(line, wanted));
  const show = (lines: readonly LogLine[]) => {
    for (const line of lines) printLine(flags.json === true ? plain(line.raw) : readable(line));
  };
  const most = flags.lines ?? (flags.since === undefined ? USUAL_LINES : Number.POSITIVE_INFINITY);
  const found = fresh();
  const cut = Math.max(0, found.length - most);
  if (cut > 0 && flags.json !== true) tell(`(${cut} older lines; --lines or --since shows more)`);
  show(found.slice(cut));
  if (found.length === 0 && flags.json !== true) say(nothingIn(name));
  if (flags.follow === true) await follow(logFolder(folder), () => show(fresh()));
}

/** Returns which logs to read; `folder` is undefined if nothing was logged yet. */
async function whose(flags: LogsFlags): Promise<{
  readonly name: string;
  readonly folder: string | undefined;
  readonly sources: readonly LogSource[];
}> {
  if (flags.data === undefined) {
    const cwd = await findKnownFolder(flags);
    const folders = flags.follow === true ? workspaceFolders(cwd) : foldersWith("state", cwd);
    const { folder: name } = locateFolders(cwd);
    return { name, folder: folders?.state, sources: LOG_SOURCES };
  }
  const folder = flags.data === true ? usualData() : resolve(flags.data);
  if (existsSync(join(folder, "logs"))) return { name: folder, folder, sources: ["relay"] };
  throw new UserError(
    `no relay has written logs in ${folder}`,
    ExitCode.usage,
    "Give --data the data folder of `pairpty relay`.",
  );
}

function nothingIn(folder: string): string {
  return `No matching log lines in ${folder}.`;
}

/** Follows until Ctrl-C, or until the reader is gone. */
async function follow(folder: string, look: () => void): Promise<void> {
  const watcher = watch(folder, look);
  const timer = setInterval(look, LOOK_EVERY_MS);
  await new Promise<void>((done) => {
    watcher.on("error", () => {});
    process.once("SIGINT", done);
    process.once("SIGTERM", done);
    process.stdout.once("error", done);
  });
  clearInterval(timer);
  watcher.close();
}

function sinceOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return Date.now() - milliseconds;
  throw new UserError(
    `"${text}" is not a duration`,
    ExitCode.usage,
    "Write a number and a unit: 90s, 10m, 2h, 7d.",
  );
}

const PAINT: Readonly<Record<LineLevel, (text: string) => string>> = {
  debug: stdoutColors.dim,
  info: (text) => text,
  warn: stdoutColors.yellow,
  error: stdoutColors.red,
};

function readable({ at, level, source, text }: LogLine): string {
  const time = formatTime(new Date(at).getTime(), Date.now(), { seconds: true });
  const label = PAINT[level](level.padEnd(5));
  return `${stdoutColors.dim(time)} ${label} ${source.padEnd(6)} ${plain(text)}`;
}
