// Owns receiving a file from a page: within limits, under a clean name that was free, complete or
// not at all. Does not decide rights: the caller has them, and `isStillAllowed` checks them again before
// the file gets its name.

import { randomBytes } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { closeSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { ErrorCode } from "../../protocol/codes.ts";
import { errorMessage, findSystemCode } from "../errors.ts";
import type { UploadSlot } from "./upload-rules.ts";
import { UploadBudget, cleanFileName, withNumber } from "./upload-rules.ts";
import type { UploadFolder } from "./upload-folder.ts";
import { UploadFolderError, folderExists, removeTemporary, withFolder } from "./upload-folder.ts";

/** Time limit of an upload, enough for the largest file on a slow connection. */
const MAX_UPLOAD_MS = 10 * 60_000;

/** Numbered names tried before a random one is used. */
const MAX_NUMBERED_NAMES = 100;

const ACCESS_ENDED = "This link has expired, was revoked, or may no longer type";

export interface IncomingFile {
  readonly grant: string;
  readonly name: string;
  /** Size in bytes as announced by the sender; undefined if not announced. */
  readonly size: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Whether the sender still has the right; checked before the file gets its name. */
  readonly isStillAllowed: () => boolean;
}

export type ReceiveResult =
  | { readonly ok: true; readonly name: string; readonly path: string; readonly size: number }
  | { readonly ok: false; readonly code: ErrorCode; readonly error: string };

export interface FileReceiverDeps {
  readonly folder: UploadFolder;
  readonly maxBytes: number;
  readonly budget?: UploadBudget | undefined;
  readonly maxMs?: number | undefined;
}

export class FileReceiver {
  readonly #folder: UploadFolder;
  readonly #budget: UploadBudget;
  readonly #maxMs: number;
  #sweptAt = 0;
  /** Maximum bytes of one file. */
  readonly maxBytes: number;

  constructor({
    folder,
    maxBytes,
    budget = new UploadBudget(),
    maxMs = MAX_UPLOAD_MS,
  }: FileReceiverDeps) {
    this.#folder = folder;
    this.#budget = budget;
    this.#maxMs = maxMs;
    this.maxBytes = maxBytes;
  }

  async receive(upload: IncomingFile): Promise<ReceiveResult> {
    if ((upload.size ?? 0) > this.maxBytes) return this.#tooLarge();
    const admission = this.#budget.begin(upload.grant);
    if (!admission.ok) return refuse("too_many", admission.error);
    if (Date.now() - this.#sweptAt > this.#maxMs) await this.removeOldPartials();
    let isKept = false;
    try {
      const received = await withFolder(this.#folder, (inside) =>
        this.#receiveInto(upload, admission.slot, inside),
      );
      isKept = received.ok;
      return received;
    } catch (error) {
      return toRefusal(error);
    } finally {
      admission.slot.end(isKept);
    }
  }

  /** Removes the temporary folder when pairpty ends. Returns why it could not. */
  removeFolder(): string | undefined {
    return removeTemporary(this.#folder);
  }

  /** Removes partial files of a killed bridge: those older than any upload may take. */
  async removeOldPartials(): Promise<void> {
    const oldest = Date.now() - this.#maxMs;
    this.#sweptAt = Date.now();
    try {
      if (folderExists(this.#folder))
        await withFolder(this.#folder, async (at) => removePartialsIn(at, oldest));
    } catch (error) {
      // The next upload reports what is wrong with the folder.
      if (!(error instanceof UploadFolderError) && findSystemCode(error) === undefined) throw error;
    }
  }

  async #receiveInto(
    upload: IncomingFile,
    slot: UploadSlot,
    inside: string,
  ): Promise<ReceiveResult> {
    const partial = `${inside}/${newPartialName()}`;
    const file = await open(partial, "wx", 0o600);
    let isNamed = false;
    try {
      const written = await this.#write(upload, slot, file);
      if (!written.ok) return written;
      if (!upload.isStillAllowed()) return refuse("forbidden", ACCESS_ENDED);
      const name = reserveName(inside, cleanFileName(upload.name));
      renameSync(partial, `${inside}/${name}`);
      isNamed = true;
      const path = join(this.#folder.path, name);
      if (!isSameFile(path, await file.stat({ bigint: true }))) {
        rmSync(`${inside}/${name}`, { force: true });
        return refuse("internal", `${this.#folder.path} was moved meanwhile; nothing was saved`);
      }
      return { ok: true, name, path, size: written.size };
    } finally {
      await file.close();
      if (!isNamed) rmSync(partial, { force: true });
    }
  }

  async #write(
    { body, size: announcedSize, signal }: IncomingFile,
    slot: UploadSlot,
    file: FileHandle,
  ): Promise<{ ok: true; size: number } | Extract<ReceiveResult, { ok: false }>> {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(this.#maxMs)]);
    let size = 0;
    for await (const piece of readUntilAborted(body, ends)) {
      size += piece.length;
      if (size > this.maxBytes) return this.#tooLarge();
      if (announcedSize !== undefined && size > announcedSize) break;
      if (!slot.reserve(piece.length)) {
        const error = "The files of this workspace have reached their limit; remove some first";
        return refuse("too_many", error);
      }
      await writeWhole(file, piece);
    }
    if (announcedSize === undefined || size === announcedSize) return { ok: true, size };
    return refuse("bad_request", `The page announced ${announcedSize} bytes but sent ${size}`);
  }

  #tooLarge(): Extract<ReceiveResult, { ok: false }> {
    const limit = `${Math.floor(this.maxBytes / (1 << 20))} MiB`;
    return refuse("too_large", `A file may be at most ${limit} (files.maxSize)`);
  }
}

/** Yields the body's pieces until the signal aborts, even if the body hangs. */
async function* readUntilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = () => reject(new UploadAborted("The upload was cut off; nothing was saved"));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  // May be rejected while a piece is being written, when nothing awaits it.
  aborted.catch(() => undefined);
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), aborted]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: the body may be the part that hangs.
    void Promise.resolve(pieces.return?.()).catch(() => undefined);
  }
}

class UploadAborted extends Error {}

const PARTIAL_NAME = /^\.[0-9a-f]{16}\.part$/;

function newPartialName(): string {
  return `.${randomBytes(8).toString("hex")}.part`;
}

function removePartialsIn(inside: string, oldest: number): void {
  for (const name of readdirSync(inside).filter((one) => PARTIAL_NAME.test(one))) {
    const found = lstatSync(`${inside}/${name}`, { throwIfNoEntry: false });
    const isOurs = found?.isFile() === true && found.uid === userInfo().uid;
    if (isOurs && found.mtimeMs < oldest) rmSync(`${inside}/${name}`, { force: true });
  }
}

function isSameFile(path: string, { dev, ino }: Pick<BigIntStats, "dev" | "ino">): boolean {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.dev === dev && found.ino === ino;
}

/** Creates an empty file under the first free name, which reserves that name. */
function reserveName(inside: string, name: string): string {
  for (let number = 1; number <= MAX_NUMBERED_NAMES; number++) {
    const candidate = withNumber(name, number);
    try {
      closeSync(openSync(`${inside}/${candidate}`, "wx", 0o600));
      return candidate;
    } catch (error) {
      if (findSystemCode(error) !== "EEXIST") throw error;
    }
  }
  return reserveName(inside, `${randomBytes(8).toString("hex")}-${name}`);
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) {
    const { bytesWritten } = await file.write(piece, at);
    at += bytesWritten;
  }
}

function toRefusal(error: unknown): ReceiveResult {
  if (error instanceof UploadAborted) return refuse("bad_request", error.message);
  if (error instanceof UploadFolderError) return refuse("internal", error.message);
  const code = findSystemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") return refuse("internal", "The host's disk is full");
  if (code !== undefined) return refuse("internal", `The file cannot be written: ${code}`);
  // The room aborted the stream: the client or the link is gone.
  return refuse("bad_request", `The upload was cut off: ${errorMessage(error)}`);
}

function refuse(code: ErrorCode, error: string): Extract<ReceiveResult, { ok: false }> {
  return { ok: false, code, error };
}
