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
import { systemCode } from "../errors.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import { readOptionalFile } from "../workspace/private-file.ts";
import type { Guard } from "./guards.ts";

/** `inode` and `changed` are null between the record and the creation. */
const Made = z.object({
  path: z.string(),
  kind: z.enum(["file", "folder"]),
  inode: z.nullable(z.int()),
  changed: z.nullable(z.number()),
  content: z.optional(z.string()),
  /** The name of an empty file in a folder. */
  file: z.optional(z.string()),
});
type Made = z.infer<typeof Made>;

export class Placeholders {
  /** Shared by all bridges of this user: two of them may have the same root. */
  readonly #folder: string;
  readonly #holder: string;

  /** `holder` is the name of this workspace among them. */
  constructor(folder: string, holder: string) {
    this.#folder = folder;
    this.#holder = holder;
  }

  /** Creates the absent ones, and keeps all of this root until `release`. */
  hold(root: string, guards: readonly Guard[]): void {
    const { holders, made } = this.#placesOf(root);
    makeFolder(holders);
    makeFolder(made);
    writeFileSync(join(holders, this.#holder), root);
    const records = guards.flatMap((guard) => (guard.isAbsent ? (make(made, guard) ?? []) : []));
    // After all of them: creating one in another changes the time of that one.
    for (const record of records) note(made, record);
  }

  /** Whether this workspace holds any root, or did when it crashed. */
  get isHeld(): boolean {
    return filesIn(this.#folder).some((name) => this.#holds(join(this.#folder, name)));
  }

  /** Releases every root that this workspace holds. */
  release(): void {
    for (const name of filesIn(this.#folder)) this.#release(join(this.#folder, name));
  }

  #release(place: string): void {
    const holders = join(place, "holders");
    if (!this.#holds(place)) return;
    rmSync(join(holders, this.#holder), { force: true });
    if (filesIn(holders).length > 0) return;
    const made = join(place, "made");
    const records = filesIn(made).flatMap((name) => readRecord(join(made, name)) ?? []);
    // Check all before removing the first, and remove the innermost first.
    const untouched = records.filter(isUntouched);
    for (const record of untouched.sort((a, b) => b.path.length - a.path.length)) unmake(record);
    rmSync(place, { recursive: true, force: true });
  }

  #holds(place: string): boolean {
    return filesIn(join(place, "holders")).includes(this.#holder);
  }

  #placesOf(root: string): { holders: string; made: string } {
    const place = join(this.#folder, nameOf(root));
    return { holders: join(place, "holders"), made: join(place, "made") };
  }
}

/** Creates a placeholder; undefined if the path was created meanwhile by another program. */
function make(records: string, { path, kind, content = "", file }: Guard): Made | undefined {
  const promised: Made = { path, kind, inode: null, changed: null, content, file };
  write(records, promised);
  try {
    if (kind === "folder") mkdirSync(path);
    else writeFileSync(path, content, { flag: "wx" });
    if (file !== undefined) writeFileSync(join(path, file), "", { flag: "wx" });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    rmSync(recordOf(records, path), { force: true });
    return undefined;
  }
  return promised;
}

/** Records inode and time, after all are created. */
function note(records: string, made: Made): void {
  const { ino, mtimeMs } = lstatSync(made.path);
  write(records, { ...made, inode: ino, changed: mtimeMs });
}

/** Writes a record, without syncing: after a power cut no sandbox runs, and an empty file is harmless. */
function write(records: string, made: Made): void {
  writeFileSync(recordOf(records, made.path), JSON.stringify(made), { mode: 0o600 });
}

function recordOf(records: string, path: string): string {
  return join(records, nameOf(path));
}

/** Whether it was not replaced or filled since. A half-created one is checked when it is removed. */
function isUntouched({ path, inode, changed }: Made): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  return inode === null || (stat.ino === inode && stat.mtimeMs === changed);
}

function unmake({ path, kind, content = "", file }: Made): void {
  try {
    if (kind === "folder") {
      if (file !== undefined) unlinkIfIs(join(path, file), "");
      rmdirSync(path);
    } else unlinkIfIs(path, content);
  } catch (error) {
    // Gone, no longer a folder, or not empty.
    if (!["ENOENT", "ENOTDIR", "ENOTEMPTY"].includes(systemCode(error) ?? "")) throw error;
  }
}

function unlinkIfIs(path: string, content: string): void {
  if (lstatSync(path).isFile() && readFileSync(path, "utf8") === content) unlinkSync(path);
}

function readRecord(path: string): Made | undefined {
  const parsed = parseText(Made, readOptionalFile(path) ?? "");
  return parsed.ok ? parsed.value : undefined;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function nameOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}
