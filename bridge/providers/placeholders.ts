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
    for (const guard of guards) if (guard.isAbsent) make(made, guard);
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
    for (const name of filesIn(made)) {
      const record = readRecord(join(made, name));
      if (record !== undefined) unmake(record);
    }
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

function make(records: string, { path, kind, content = "" }: Guard): void {
  const record = join(records, nameOf(path));
  // Not to the disk at once: after a power cut nobody stands on them, and an empty file is harmless.
  const write = (made: Made) => writeFileSync(record, JSON.stringify(made), { mode: 0o600 });
  write({ path, kind, inode: null, changed: null, content });
  try {
    if (kind === "folder") mkdirSync(path);
    else writeFileSync(path, content, { flag: "wx" });
  } catch (error) {
    // Somebody was quicker: it is theirs.
    if (systemCode(error) !== "EEXIST") throw error;
    rmSync(record, { force: true });
    return;
  }
  const { ino, mtimeMs } = lstatSync(path);
  write({ path, kind, inode: ino, changed: mtimeMs, content });
}

function unmake({ path, kind, inode, changed, content = "" }: Made): void {
  try {
    const stat = lstatSync(path);
    if (inode !== null && (stat.ino !== inode || stat.mtimeMs !== changed)) return;
    if (kind === "folder") rmdirSync(path);
    else if (stat.isFile() && readFileSync(path, "utf8") === content) unlinkSync(path);
  } catch (error) {
    // Gone, no folder any more, or with something in it.
    if (!["ENOENT", "ENOTDIR", "ENOTEMPTY"].includes(systemCode(error) ?? "")) throw error;
  }
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
