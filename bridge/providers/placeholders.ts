// Owns the empty files and folders that stand in for absent ones while a wall is up: a mount needs
// something to stand on. What was made is written down first and removed when the last bridge that
// holds a folder lets go of it; after a crash its next start does so. What somebody filled or
// touched meanwhile is theirs.

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

/** `inode` and `changed` are null between the promise and the deed. */
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
  /** Shared by all bridges of this user: two may have one folder among their roots. */
  readonly #folder: string;
  readonly #holder: string;

  /** `holder` is this workspace's name among them. */
  constructor(folder: string, holder: string) {
    this.#folder = folder;
    this.#holder = holder;
  }

  /** Makes those that are absent, and keeps all of that root until it is released. */
  hold(root: string, guards: readonly Guard[]): void {
    const { holders, made } = this.#placesOf(root);
    makeFolder(holders);
    makeFolder(made);
    writeFileSync(join(holders, this.#holder), root);
    const records = guards.flatMap((guard) => (guard.isAbsent ? (make(made, guard) ?? []) : []));
    // Behind all of them: one that is made in another changes that one's time.
    for (const record of records) note(made, record);
  }

  /** Whether this workspace holds any root, or did when it crashed. */
  get isHeld(): boolean {
    return filesIn(this.#folder).some((name) => this.#holds(join(this.#folder, name)));
  }

  /** Of every root that this workspace holds. */
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
    // All are looked at before the first is removed, and the innermost are removed first.
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

/** Undefined where somebody was quicker: it is theirs. */
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

/** Writes down what it looks like, now that all are made. */
function note(records: string, made: Made): void {
  const { ino, mtimeMs } = lstatSync(made.path);
  write(records, { ...made, inode: ino, changed: mtimeMs });
}

/** Not to the disk at once: after a power cut nobody stands on them, and an empty file is harmless. */
function write(records: string, made: Made): void {
  writeFileSync(recordOf(records, made.path), JSON.stringify(made), { mode: 0o600 });
}

function recordOf(records: string, path: string): string {
  return join(records, nameOf(path));
}

/** Whether nobody replaced or filled it since. A half-made one is looked at when it is removed. */
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
    // Gone, no folder any more, or with something in it.
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
