// Owns which files coding agents may read and write (`fs/*`): inside the shared folders, never
// pairpty's own files, never files that would run as the user later. A person approves each write
// with its diff, except in a sandbox, which lets commands write there anyway.

import { createHash } from "node:crypto";
import {
  constants,
  existsSync,
  ftruncateSync,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFile,
  readFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Caller } from "../callers/caller.ts";
import { systemCode } from "../errors.ts";
import type { InSandbox } from "../pipeline/verdicts.ts";
import { OneByOne } from "../reading/one-by-one.ts";
import { isInside } from "../workspace/inside.ts";
import { diffOf } from "./diff.ts";
import { Failure } from "./failure.ts";
import type { NewPlace, Opened } from "./opening.ts";
import { absolutePath, MOST_FILE_BYTES, placeOf, withFile, withNewFile } from "./opening.ts";

export interface FileParts {
  /** Real paths. */
  readonly roots: readonly string[];
  /** Pairpty's config, state and sockets. */
  readonly ownFolders: readonly string[];
  /** Where pairpty is installed: readable, never writable. */
  readonly ownProgram?: string | undefined;
  /** Whether a file would run as the user later. */
  readonly isGuarded: (path: string) => boolean;
  /** Returns the existing files of that kind. */
  readonly guards: () => readonly string[];
  readonly approvals: Pick<Approvals, "ask">;
  readonly inSandbox: InSandbox;
  readonly policyVersion: string;
}

export interface WriteAsking {
  readonly caller: Caller;
  readonly isolation: Isolation;
  readonly subject: string;
  readonly signal: AbortSignal;
  readonly onAsked?: ((id: string) => void) | undefined;
  /** Receives the approval's outcome, whether or not the write succeeds. */
  readonly onSettled?: ((outcome: "allowed" | "denied" | "withdrawn") => void) | undefined;
}

/** The target's state before a write. */
interface Look {
  readonly path: string;
  /** Undefined if the file does not exist yet. */
  readonly text: string | undefined;
  readonly identity: string;
  /** For a new file: the existing folder that it goes into. */
  readonly folder?: NewPlace | undefined;
}

const OUT_OF_REACH = "It is outside the shared folders, or belongs to pairpty";
const CHANGED = "The file has changed while a person decided; read it and write again";
const LF = 10;
/** Enough for pairpty's own folders. */
const MOST_SCANNED = 5_000;

const readWhole = promisify(readFile);

export class AgentFiles {
  readonly #parts: FileParts;
  /**
   * Serializes the file work of all agents: reading, comparing and hashing megabytes blocks the
   * event loop.
   */
  readonly #work = new OneByOne();

  constructor(parts: FileParts) {
    this.#parts = parts;
  }

  /** Reads a file, from a line (counted from 1) and up to `limit` lines. */
  async read(path: string, line?: number | null, limit?: number | null): Promise<string> {
    const asked = absolutePath(path);
    return await this.#work.run(() => this.#read(asked, line ?? 1, limit ?? undefined));
  }

  async #read(asked: string, line: number, limit: number | undefined): Promise<string> {
    const fd = withFile(
      asked,
      constants.O_RDONLY,
      (opened) => {
        this.#mayRead(opened);
        if (opened.stat.isDirectory()) throw new Failure("invalid", `${asked} is a folder`);
      },
      // A descriptor of our own for the same file: the checked one is closed before the read
      // finishes.
      (opened) => openSync(`/proc/self/fd/${opened.fd}`, constants.O_RDONLY),
    );
    if (fd === undefined) throw new Failure("not_found", `No such file: ${asked}`);
    try {
      return linesFrom(await readWhole(fd), line, limit);
    } finally {
      closeSync(fd);
    }
  }

  async write(path: string, content: string, asking: WriteAsking): Promise<void> {
    if (Buffer.byteLength(content) > MOST_FILE_BYTES) {
      throw new Failure("invalid", `content exceeds ${MOST_FILE_BYTES} bytes`);
    }
    const asked = absolutePath(path);
    // Check the given path, too: `.git` may be a symlink, and git follows it.
    if (this.#parts.isGuarded(asked)) throw guarded(asked);
    const before = await this.#work.run(() => this.#look(asked));
    if (asking.isolation === "none" || this.#parts.inSandbox === "ask") {
      await this.#ask(before, content, asking);
    }
    await this.#work.run(() => this.#write(asked, before, content, asking));
  }

  #write(asked: string, before: Look, content: string, asking: WriteAsking): void {
    if (asking.signal.aborted) throw new Failure("cancelled", "The write was cancelled");
    if (asking.caller.grant() === undefined) {
      throw new Failure("refused", "This token has expired or was revoked");
    }
    if (before.folder !== undefined) {
      withNewFile(
        before.folder,
        (opened) => this.#mayWrite(opened),
        ({ fd }) => writeWhole(fd, content),
      );
      return;
    }
    const done = withFile(
      asked,
      constants.O_RDWR,
      (opened) => this.#mayWrite(opened),
      (opened) => {
        if (identityOf(opened, readFileSync(opened.fd, "utf8")) !== before.identity) {
          throw new Failure("refused", CHANGED);
        }
        ftruncateSync(opened.fd, 0);
        writeWhole(opened.fd, content);
        return true;
      },
    );
    if (done !== true) throw new Failure("refused", CHANGED);
  }

  #look(path: string): Look {
    const found = withFile(
      path,
      constants.O_RDWR,
      (opened) => this.#mayWrite(opened),
      (opened) => {
        const text = readFileSync(opened.fd, "utf8");
        return { path: opened.path, text, identity: identityOf(opened, text) };
      },
    );
    if (found !== undefined) return found;
    // Check the nearest existing parent folder.
    let folder = dirname(path);
    while (!existsSync(folder) && folder !== "/") folder = dirname(folder);
    const { O_RDONLY, O_DIRECTORY } = constants;
    const real = withFile(
      folder,
      O_RDONLY | O_DIRECTORY,
      (opened) => this.#mayWrite(opened),
      (opened) => ({ path: opened.path, identity: placeOf(opened) }),
    );
    if (real === undefined) throw new Failure("not_found", `No such folder: ${folder}`);
    const names = path
      .slice(folder.length)
      .split("/")
      .filter((name) => name !== "");
    // Check each folder that would be created, and the file.
    for (const index of names.keys()) {
      const made = join(real.path, ...names.slice(0, index + 1));
      if (this.#parts.isGuarded(made)) throw guarded(made);
    }
    const whole = join(real.path, ...names);
    return { path: whole, text: undefined, identity: "new", folder: { ...real, folder, names } };
  }

  async #ask(before: Look, content: string, asking: WriteAsking): Promise<void> {
    const { caller, isolation, subject, signal, onAsked } = asking;
    const { policyVersion, approvals, roots } = this.#parts;
    const { text: diff, left } = diffOf(before.path, before.text, content);
    const bytes = Buffer.byteLength(content);
    const why = [
      before.text === undefined ? `a new file of ${bytes} bytes` : "it changes a file",
      ...(left > 0 ? [`${left} lines of the change are not shown`] : []),
    ];
    const whole = [caller.grantId, before.path, before.identity, digest(content), policyVersion];
    const answered = await approvals.ask({
      caller,
      kind: "write",
      via: "fs/write_text_file",
      command: `write ${before.path}`,
      diff,
      cwd: roots.find((root) => isInside(before.path, root)) ?? dirname(before.path),
      judgement: { verdict: "unknown", why },
      isolation,
      key: digest(JSON.stringify(whole)),
      subject,
      waitsOn: true,
      signal,
      onAsked,
    });
    const refused = signal.aborted ? "withdrawn" : "denied";
    asking.onSettled?.(answered.ok ? "allowed" : refused);
    if (signal.aborted) throw new Failure("cancelled", "The write was cancelled");
    if (!answered.ok) throw new Failure("refused", answered.error);
  }

  #mayRead(opened: Opened): void {
    const { path, stat } = opened;
    const { roots, ownFolders } = this.#parts;
    const isShared = roots.some((root) => isInside(path, root));
    const isOwn = ownFolders.some((folder) => isInside(path, folder));
    if (!isShared || isOwn) throw new Failure("refused", `${OUT_OF_REACH}: ${path}`);
    if (stat.isDirectory()) return;
    if (!stat.isFile()) throw new Failure("invalid", `Not a regular file: ${path}`);
    if (stat.size > MOST_FILE_BYTES) {
      throw new Failure("refused", `${path} exceeds ${MOST_FILE_BYTES} bytes`);
    }
    // A hard link to one of pairpty's own files.
    if (stat.nlink > 1n && isAmong(stat, ownFolders)) {
      throw new Failure("refused", `${OUT_OF_REACH}: ${path}`);
    }
  }

  #mayWrite(opened: Opened): void {
    this.#mayRead(opened);
    const { path, stat } = opened;
    const { ownProgram, isGuarded, guards } = this.#parts;
    if (ownProgram !== undefined && isInside(path, ownProgram)) {
      throw new Failure("refused", `${path} is part of pairpty`);
    }
    if (isGuarded(path)) throw guarded(path);
    if (stat.isDirectory() || stat.nlink <= 1n) return;
    if (isAmong(stat, guards())) throw guarded(path);
  }
}

function guarded(path: string): Failure {
  return new Failure(
    "refused",
    `${path} could run as the user later, so agents may not write it: ask the user to do it`,
  );
}

function writeWhole(fd: number, content: string): void {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, at);
}

/** Whether the file is one of these or below one, by device and inode. */
function isAmong({ dev, ino }: Opened["stat"], folders: readonly string[]): boolean {
  let scanned = 0;
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (isThat(folder, dev, ino)) return true;
    for (const entry of entriesOf(folder)) {
      scanned += 1;
      // Too many to check: refuse.
      if (scanned > MOST_SCANNED) return true;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (isThat(path, dev, ino)) return true;
    }
  }
  return false;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Missing, or not a folder.
    if (systemCode(error) !== undefined) return [];
    throw error;
  }
}

function isThat(path: string, dev: bigint, ino: bigint): boolean {
  try {
    const stat = lstatSync(path, { bigint: true });
    return stat.dev === dev && stat.ino === ino;
  } catch (error) {
    if (systemCode(error) !== undefined) return false;
    throw error;
  }
}

function identityOf({ stat }: Opened, text: string): string {
  return `${stat.dev}:${stat.ino}:${digest(text)}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns lines by scanning bytes, without splitting: 4 MiB may be four million lines. */
export function linesFrom(bytes: Buffer, line: number, limit: number | undefined): string {
  const start = behindLines(bytes, 0, line - 1);
  const end = limit === undefined ? bytes.length : behindLines(bytes, start, limit);
  return bytes.toString("utf8", start, end);
}

function behindLines(bytes: Buffer, from: number, lines: number): number {
  let at = from;
  for (let left = lines; left > 0 && at < bytes.length; at += 1) if (bytes[at] === LF) left -= 1;
  return at;
}
