// Owns `pairpty logs`: prints the logs of bridge, pty host and relay, merged by time, or those of a
// self-hosted relay.

import { formatTime } from "../../../protocol/formats.ts";
import { existsSync, watch } from "node:fs";
import { join, resolve } from "node:path";
import { ExitCode, UserError } from "../../errors.ts";
import { parseDuration } from "../../grants/duration.ts";
import type { LineLevel, LogSource } from "../../logs/log-paths.ts";
import { LOG_SOURCES, getLogFile, ensureLogFolder } from "../../logs/log-paths.ts";
import type { LogLine, LogFilter } from "../../logs/log-line.ts";
import { matchesFilter, mergeLines, parseLogLines } from "../../logs/log-line.ts";
import type { LogPosition } from "../../logs/log-tail.ts";
import { readNewLines } from "../../logs/log-tail.ts";
import { getDefaultDataFolder } from "../../self-hosted-relay/relay-data-folder.ts";
import {
  findExistingFolders,
  locateFolders,
  ensureWorkspaceFolders,
} from "../../workspace/folders.ts";
import { findKnownFolder } from "../flags/workspace-folder.ts";
import { printLine, printNote, stdoutColors, printWrapped } from "../output/output.ts";
import { escapeUnsafe } from "../output/format-text.ts";

/** A screen or two; --since or --lines show more. */
const DEFAULT_LINES = 200;
/** Polls as well, since some network disks report no changes. */
const POLL_MS = 1_000;

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
  const { name, folder, sources: all } = await findLogs(flags);
  const filter: LogFilter = { minLevel: flags.level, since: parseSince(flags.since) };
  if (folder === undefined) {
    if (flags.json !== true) printNote(formatNothing(name));
    return;
  }
  const places = new Map<LogSource, LogPosition | undefined>();
  const sources = (flags.source === undefined ? all : [flags.source]).map((source) => ({
    source,
    path: getLogFile(folder, source),
  }));
  const fresh = () =>
    mergeLines(
      sources.map(({ source, path }) => {
        const { text, place } = readNewLines(path, places.get(source));
        places.set(source, place);
        return parseLogLines(text, source, Date.now());
      }),
    ).filter((line) => matchesFilter(line, filter));
  const show = (lines: readonly LogLine[]) => {
    for (const line of lines)
      printLine(flags.json === true ? escapeUnsafe(line.raw) : formatLine(line));
  };
  const maxLines =
    flags.lines ?? (flags.since === undefined ? DEFAULT_LINES : Number.POSITIVE_INFINITY);
  const found = fresh();
  const omitted = Math.max(0, found.length - maxLines);
  if (omitted > 0 && flags.json !== true)
    printWrapped(`(${omitted} older lines; --lines or --since shows more)`);
  show(found.slice(omitted));
  if (found.length === 0 && flags.json !== true) printNote(formatNothing(name));
  if (flags.follow === true) await follow(ensureLogFolder(folder), () => show(fresh()));
}

/** Returns which logs to read; `folder` is undefined if nothing was logged yet. */
async function findLogs(flags: LogsFlags): Promise<{
  readonly name: string;
  readonly folder: string | undefined;
  readonly sources: readonly LogSource[];
}> {
  if (flags.data === undefined) {
    const cwd = await findKnownFolder(flags);
    const folders =
      flags.follow === true ? ensureWorkspaceFolders(cwd) : findExistingFolders("state", cwd);
    const { folder: name } = locateFolders(cwd);
    return { name, folder: folders?.state, sources: LOG_SOURCES };
  }
  const folder = flags.data === true ? getDefaultDataFolder() : resolve(flags.data);
  if (existsSync(join(folder, "logs"))) return { name: folder, folder, sources: ["relay"] };
  throw new UserError(
    `no relay has written logs in ${folder}`,
    ExitCode.usage,
    "Give --data the data folder of `pairpty relay`.",
  );
}

function formatNothing(folder: string): string {
  return `No matching log lines in ${folder}.`;
}

/** Follows until Ctrl-C, or until the reader is gone. */
async function follow(folder: string, check: () => void): Promise<void> {
  const watcher = watch(folder, check);
  const timer = setInterval(check, POLL_MS);
  await new Promise<void>((done) => {
    watcher.on("error", () => {});
    process.once("SIGINT", done);
    process.once("SIGTERM", done);
    process.stdout.once("error", done);
  });
  clearInterval(timer);
  watcher.close();
}

function parseSince(text: string | undefined): number {
  if (text === undefined) return 0;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return Date.now() - milliseconds;
  throw new UserError(
    `"${text}" is not a duration`,
    ExitCode.usage,
    "Write a number and a unit: 90s, 10m, 2h, 7d.",
  );
}

const PAINT_BY_LEVEL: Readonly<Record<LineLevel, (text: string) => string>> = {
  debug: stdoutColors.dim,
  info: (text) => text,
  warn: stdoutColors.yellow,
  error: stdoutColors.red,
};

function formatLine({ at, level, source, text }: LogLine): string {
  const time = formatTime(new Date(at).getTime(), Date.now(), { seconds: true });
  const label = PAINT_BY_LEVEL[level](level.padEnd(5));
  return `${stdoutColors.dim(time)} ${label} ${source.padEnd(6)} ${escapeUnsafe(text)}`;
}
