// Owns which files coding agents may read and write (`fs/*`): inside the shared folders, never
// pairpty's own files, never files that would run as the user later. A person approves each write
// with its diff, except in a sandbox, which lets commands write there anyway.

import {
  constants,
  existsSync,
  ftruncateSync,
  closeSync,
  openSync,
  readFile,
  readFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Caller } from "../callers/caller.ts";
import type { InSandbox } from "../pipeline/verdicts.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import { isInside } from "../workspace/folders.ts";
import { Failure } from "./agent-ports.ts";
import type { NewFileLocation, OpenedFile } from "./checked-open.ts";
import {
  absolutePath,
  MAX_FILE_BYTES,
  toFolderIdentity,
  withFile,
  withNewFile,
  toIdentity,
  digest,
  isWithinByInode,
} from "./checked-open.ts";
import { formatDiff } from "./content-format.ts";

export interface AgentFilesDeps {
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
  readonly approvals: Pick<Approvals, "request">;
  readonly inSandbox: InSandbox;
  readonly policyVersion: string;
}

export interface WriteContext {
  readonly caller: Caller;
  readonly isolation: Isolation;
  readonly subject: string;
  readonly signal: AbortSignal;
  readonly onPending?: ((id: string) => void) | undefined;
  /** Receives the approval's outcome, whether or not the write succeeds. */
  readonly onSettled?: ((outcome: "allowed" | "denied" | "withdrawn") => void) | undefined;
}

/** The target's state before a write. */
interface FileState {
  readonly path: string;
  /** Undefined if the file does not exist yet. */
  readonly text: string | undefined;
  readonly identity: string;
  /** For a new file, the existing folder that will contain it. */
  readonly folder?: NewFileLocation | undefined;
}

const OUTSIDE_SHARED = "It is outside the shared folders, or belongs to pairpty";
const CHANGED = "The file has changed while a person decided; read it and write again";
const LF = 10;

const readWhole = promisify(readFile);

export class AgentFiles {
  readonly #deps: AgentFilesDeps;
  /**
   * Serializes the file work of all agents: reading, comparing and hashing megabytes blocks the
   * event loop.
   */
  readonly #work = new SerialQueue();

  constructor(deps: AgentFilesDeps) {
    this.#deps = deps;
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
        this.#assertReadable(opened);
        if (opened.stat.isDirectory()) throw new Failure("invalid", `${asked} is a folder`);
      },
      // A descriptor of our own for the same file: the checked one is closed before the read
      // finishes.
      (opened) => openSync(`/proc/self/fd/${opened.fd}`, constants.O_RDONLY),
    );
    if (fd === undefined) throw new Failure("not_found", `No such file: ${asked}`);
    try {
      return sliceLines(await readWhole(fd), line, limit);
    } finally {
      closeSync(fd);
    }
  }

  async write(path: string, content: string, context: WriteContext): Promise<void> {
    if (Buffer.byteLength(content) > MAX_FILE_BYTES) {
      throw new Failure("invalid", `content exceeds ${MAX_FILE_BYTES} bytes`);
    }
    const asked = absolutePath(path);
    // Check the given path, too: `.git` may be a symlink, and git follows it.
    if (this.#deps.isGuarded(asked)) throw guardedFailure(asked);
    const before = await this.#work.run(() => this.#inspect(asked));
    if (context.isolation === "none" || this.#deps.inSandbox === "ask") {
      await this.#requestApproval(before, content, context);
    }
    await this.#work.run(() => this.#write(asked, before, content, context));
  }

  #write(asked: string, before: FileState, content: string, context: WriteContext): void {
    if (context.signal.aborted) throw new Failure("cancelled", "The write was cancelled");
    if (context.caller.grant() === undefined) {
      throw new Failure("refused", "This token has expired or was revoked");
    }
    if (before.folder !== undefined) {
      withNewFile(
        before.folder,
        (opened) => this.#assertWritable(opened),
        ({ fd }) => writeWhole(fd, content),
      );
      return;
    }
    const done = withFile(
      asked,
      constants.O_RDWR,
      (opened) => this.#assertWritable(opened),
      (opened) => {
        if (toIdentity(opened, readFileSync(opened.fd, "utf8")) !== before.identity) {
          throw new Failure("refused", CHANGED);
        }
        ftruncateSync(opened.fd, 0);
        writeWhole(opened.fd, content);
        return true;
      },
    );
    if (done !== true) throw new Failure("refused", CHANGED);
  }

  #inspect(path: string): FileState {
    const found = withFile(
      path,
      constants.O_RDWR,
      (opened) => this.#assertWritable(opened),
      (opened) => {
        const text = readFileSync(opened.fd, "utf8");
        return { path: opened.path, text, identity: toIdentity(opened, text) };
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
      (opened) => this.#assertWritable(opened),
      (opened) => ({ path: opened.path, identity: toFolderIdentity(opened) }),
    );
    if (real === undefined) throw new Failure("not_found", `No such folder: ${folder}`);
    const names = path
      .slice(folder.length)
      .split("/")
      .filter((name) => name !== "");
    // Check each folder that would be created, and the file.
    for (const index of names.keys()) {
      const made = join(real.path, ...names.slice(0, index + 1));
      if (this.#deps.isGuarded(made)) throw guardedFailure(made);
    }
    const whole = join(real.path, ...names);
    return { path: whole, text: undefined, identity: "new", folder: { ...real, folder, names } };
  }

  async #requestApproval(before: FileState, content: string, context: WriteContext): Promise<void> {
    const { caller, isolation, subject, signal, onPending } = context;
    const { policyVersion, approvals, roots } = this.#deps;
    const { text: diff, omittedLines } = formatDiff(before.path, before.text, content);
    const bytes = Buffer.byteLength(content);
    const why = [
      before.text === undefined ? `a new file of ${bytes} bytes` : "it changes a file",
      ...(omittedLines > 0 ? [`${omittedLines} lines of the change are not shown`] : []),
    ];
    const whole = [caller.grantId, before.path, before.identity, digest(content), policyVersion];
    const answered = await approvals.request({
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
      waitsUntilSettled: true,
      signal,
      onPending,
    });
    const refused = signal.aborted ? "withdrawn" : "denied";
    context.onSettled?.(answered.ok ? "allowed" : refused);
    if (signal.aborted) throw new Failure("cancelled", "The write was cancelled");
    if (!answered.ok) throw new Failure("refused", answered.error);
  }

  #assertReadable(opened: OpenedFile): void {
    const { path, stat } = opened;
    const { roots, ownFolders } = this.#deps;
    const isShared = roots.some((root) => isInside(path, root));
    const isOwn = ownFolders.some((folder) => isInside(path, folder));
    if (!isShared || isOwn) throw new Failure("refused", `${OUTSIDE_SHARED}: ${path}`);
    if (stat.isDirectory()) return;
    if (!stat.isFile()) throw new Failure("invalid", `Not a regular file: ${path}`);
    if (stat.size > MAX_FILE_BYTES) {
      throw new Failure("refused", `${path} exceeds ${MAX_FILE_BYTES} bytes`);
    }
    // A hard link to one of pairpty's own files.
    if (stat.nlink > 1n && isWithinByInode(stat, ownFolders)) {
      throw new Failure("refused", `${OUTSIDE_SHARED}: ${path}`);
    }
  }

  #assertWritable(opened: OpenedFile): void {
    this.#assertReadable(opened);
    const { path, stat } = opened;
    const { ownProgram, isGuarded, guards } = this.#deps;
    if (ownProgram !== undefined && isInside(path, ownProgram)) {
      throw new Failure("refused", `${path} is part of pairpty`);
    }
    if (isGuarded(path)) throw guardedFailure(path);
    if (stat.isDirectory() || stat.nlink <= 1n) return;
    if (isWithinByInode(stat, guards())) throw guardedFailure(path);
  }
}

function guardedFailure(path: string): Failure {
  return new Failure(
    "refused",
    `${path} could run as the user later, so agents may not write it: ask the user to do it`,
  );
}

function writeWhole(fd: number, content: string): void {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, at);
}

/** Returns lines by scanning bytes, without splitting: 4 MiB may be four million lines. */
export function sliceLines(bytes: Buffer, line: number, limit: number | undefined): string {
  const start = skipLines(bytes, 0, line - 1);
  const end = limit === undefined ? bytes.length : skipLines(bytes, start, limit);
  return bytes.toString("utf8", start, end);
}

function skipLines(bytes: Buffer, from: number, lines: number): number {
  let at = from;
  for (let left = lines; left > 0 && at < bytes.length; at += 1) if (bytes[at] === LF) left -= 1;
  return at;
}
