// Owns the empty files and folders that stand in for absent ones while a sandbox runs: a mount needs a
// target. Each is recorded before it is created, and removed when the last bridge releases the folder,
// or at the next start after a crash. A placeholder that was filled or touched meanwhile is kept.

import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { findSystemCode } from "../errors.ts";
import { makeFolder, readOptionalFile } from "../workspace/private-file.ts";
import type { Guard } from "./guards.ts";

/** `inode` and `changed` are null between the record and the creation. */
const PlaceholderRecord = z.object({
  path: z.string(),
  kind: z.enum(["file", "folder"]),
  inode: z.nullable(z.int()),
  changed: z.nullable(z.number()),
  content: z.optional(z.string()),
  /** The name of an empty file in a folder. */
  file: z.optional(z.string()),
});
type PlaceholderRecord = z.infer<typeof PlaceholderRecord>;

export class Placeholders {
  /** Shared by all bridges of this user: two of them may have the same root. */
  readonly #folder: string;
  readonly #holder: string;

  /** `holder` is the name of this workspace among them. */
  constructor(folder: string, holder: string) {
    this.#folder = folder;
    this.#holder = holder;
  }

  /** Creates the absent placeholders, and keeps all of this root until `release`. */
  hold(root: string, guards: readonly Guard[]): void {
    const { holders, made: created } = this.#getFolders(root);
    makeFolder(holders);
    makeFolder(created);
    writeFileSync(join(holders, this.#holder), root);
    const records = guards.flatMap((guard) =>
      guard.isAbsent ? (makePlaceholder(created, guard) ?? []) : [],
    );
    // Runs after all of them exist: creating one inside another changes the outer one's time.
    for (const record of records) recordState(created, record);
  }

  /** Whether this workspace holds any root, or did when it crashed. */
  get isHeld(): boolean {
    return listFiles(this.#folder).some((name) => this.#holds(join(this.#folder, name)));
  }

  /** Releases every root that this workspace holds. */
  release(): void {
    for (const name of listFiles(this.#folder)) this.#release(join(this.#folder, name));
  }

  #release(place: string): void {
    const holders = join(place, "holders");
    if (!this.#holds(place)) return;
    rmSync(join(holders, this.#holder), { force: true });
    if (listFiles(holders).length > 0) return;
    const created = join(place, "made");
    const records = listFiles(created).flatMap((name) => readRecord(join(created, name)) ?? []);
    // Check all before removing the first, and remove the innermost first.
    const untouched = records.filter(isUntouched);
    for (const record of untouched.sort((a, b) => b.path.length - a.path.length))
      removePlaceholder(record);
    rmSync(place, { recursive: true, force: true });
  }

  #holds(place: string): boolean {
    return listFiles(join(place, "holders")).includes(this.#holder);
  }

  #getFolders(root: string): { holders: string; made: string } {
    const place = join(this.#folder, toRootName(root));
    return { holders: join(place, "holders"), made: join(place, "made") };
  }
}

/** Creates a placeholder; undefined if the path was created meanwhile by another program. */
function makePlaceholder(
  records: string,
  { path, kind, content = "", file }: Guard,
): PlaceholderRecord | undefined {
  const promised: PlaceholderRecord = { path, kind, inode: null, changed: null, content, file };
  writeRecord(records, promised);
  try {
    if (kind === "folder") mkdirSync(path);
    else writeFileSync(path, content, { flag: "wx" });
    if (file !== undefined) writeFileSync(join(path, file), "", { flag: "wx" });
  } catch (error) {
    if (findSystemCode(error) !== "EEXIST") throw error;
    rmSync(toRecordPath(records, path), { force: true });
    return undefined;
  }
  return promised;
}

/** Records inode and time, after all are created. */
function recordState(records: string, created: PlaceholderRecord): void {
  const { ino, mtimeMs } = lstatSync(created.path);
  writeRecord(records, { ...created, inode: ino, changed: mtimeMs });
}

/** Writes a record, without syncing: after a power cut no sandbox runs, and an empty file is harmless. */
function writeRecord(records: string, created: PlaceholderRecord): void {
  writeFileSync(toRecordPath(records, created.path), JSON.stringify(created), { mode: 0o600 });
}

function toRecordPath(records: string, path: string): string {
  return join(records, toRootName(path));
}

/** Whether it was not replaced or filled since. A half-created one is checked when it is removed. */
function isUntouched({ path, inode, changed }: PlaceholderRecord): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  return inode === null || (stat.ino === inode && stat.mtimeMs === changed);
}

function removePlaceholder({ path, kind, content = "", file }: PlaceholderRecord): void {
  try {
    if (kind === "folder") {
      if (file !== undefined) unlinkIfIs(join(path, file), "");
      rmdirSync(path);
    } else unlinkIfIs(path, content);
  } catch (error) {
    // It is gone, is no longer a folder, or is not empty.
    if (!["ENOENT", "ENOTDIR", "ENOTEMPTY"].includes(findSystemCode(error) ?? "")) throw error;
  }
}

function unlinkIfIs(path: string, content: string): void {
  if (lstatSync(path).isFile() && readFileSync(path, "utf8") === content) unlinkSync(path);
}

function readRecord(path: string): PlaceholderRecord | undefined {
  const parsed = parseText(PlaceholderRecord, readOptionalFile(path) ?? "");
  return parsed.ok ? parsed.value : undefined;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (findSystemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function toRootName(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}
