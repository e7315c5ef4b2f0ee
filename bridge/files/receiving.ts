// Owns receiving a file from a page: within limits, under a clean name that was free, complete or
// not at all. Does not decide rights: the caller has them, and `mayStill` checks them again before
// the file gets its name.

import { randomBytes } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { closeSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { ErrorCode } from "../../protocol/codes.ts";
import { messageOf, systemCode } from "../errors.ts";
import type { Place } from "./budget.ts";
import { FileBudget } from "./budget.ts";
import type { FilesFolder } from "./folder.ts";
import { FolderProblem, isThere, removeTemporary, withFolder } from "./folder.ts";
import { cleanFileName, numbered } from "./name.ts";

/** Time limit of an upload, enough for the largest file on a slow connection. */
const MOST_MS = 10 * 60_000;

/** Numbered names tried before a random one is used. */
const MOST_NUMBER = 100;

const ENDED = "This link has expired, was revoked, or may no longer type";

export interface Sent {
  readonly grant: string;
  readonly name: string;
  /** Size in bytes as announced by the sender; undefined if not announced. */
  readonly size: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Whether the sender still has the right; checked before the file gets its name. */
  readonly mayStill: () => boolean;
}

export type Received =
  | { readonly ok: true; readonly name: string; readonly path: string; readonly size: number }
  | { readonly ok: false; readonly code: ErrorCode; readonly error: string };

export interface ReceivingParts {
  readonly folder: FilesFolder;
  readonly mostBytes: number;
  readonly budget?: FileBudget | undefined;
  readonly mostMs?: number | undefined;
}

export class ReceivedFiles {
  readonly #folder: FilesFolder;
  readonly #budget: FileBudget;
  readonly #mostMs: number;
  #sweptAt = 0;
  /** Maximum bytes of one file. */
  readonly mostBytes: number;

  constructor({ folder, mostBytes, budget = new FileBudget(), mostMs = MOST_MS }: ReceivingParts) {
    this.#folder = folder;
    this.#budget = budget;
    this.#mostMs = mostMs;
    this.mostBytes = mostBytes;
  }

  async receive(sent: Sent): Promise<Received> {
    if ((sent.size ?? 0) > this.mostBytes) return this.#tooLarge();
    const placed = this.#budget.begin(sent.grant);
    if (!placed.ok) return refuse("too_many", placed.error);
    if (Date.now() - this.#sweptAt > this.#mostMs) await this.sweep();
    let isKept = false;
    try {
      const received = await withFolder(this.#folder, (inside) =>
        this.#take(sent, placed.place, inside),
      );
      isKept = received.ok;
      return received;
    } catch (error) {
      return refusalOf(error);
    } finally {
      placed.place.end(isKept);
    }
  }

  /** Removes the temporary folder when pairpty ends. Returns why it could not. */
  forget(): string | undefined {
    return removeTemporary(this.#folder);
  }

  /** Removes partial files of a killed bridge: those older than any upload may take. */
  async sweep(): Promise<void> {
    const oldest = Date.now() - this.#mostMs;
    this.#sweptAt = Date.now();
    try {
      if (isThere(this.#folder)) await withFolder(this.#folder, async (at) => sweepIn(at, oldest));
    } catch (error) {
      // The next upload reports what is wrong with the folder.
      if (!(error instanceof FolderProblem) && systemCode(error) === undefined) throw error;
    }
  }

  async #take(sent: Sent, place: Place, inside: string): Promise<Received> {
    const draft = `${inside}/${newDraft()}`;
    const file = await open(draft, "wx", 0o600);
    let isNamed = false;
    try {
      const written = await this.#write(sent, place, file);
      if (!written.ok) return written;
      if (!sent.mayStill()) return refuse("forbidden", ENDED);
      const name = claim(inside, cleanFileName(sent.name));
      renameSync(draft, `${inside}/${name}`);
      isNamed = true;
      const path = join(this.#folder.path, name);
      if (!leadsTo(path, await file.stat({ bigint: true }))) {
        rmSync(`${inside}/${name}`, { force: true });
        return refuse("internal", `${this.#folder.path} was moved meanwhile; nothing was saved`);
      }
      return { ok: true, name, path, size: written.size };
    } finally {
      await file.close();
      if (!isNamed) rmSync(draft, { force: true });
    }
  }

  async #write(
    { body, size: told, signal }: Sent,
    place: Place,
    file: FileHandle,
  ): Promise<{ ok: true; size: number } | Extract<Received, { ok: false }>> {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(this.#mostMs)]);
    let size = 0;
    for await (const piece of untilAborted(body, ends)) {
      size += piece.length;
      if (size > this.mostBytes) return this.#tooLarge();
      if (told !== undefined && size > told) break;
      if (!place.take(piece.length)) {
        const error = "The files of this workspace have reached their limit; remove some first";
        return refuse("too_many", error);
      }
      await writeWhole(file, piece);
    }
    if (told === undefined || size === told) return { ok: true, size };
    return refuse("bad_request", `The page announced ${told} bytes but sent ${size}`);
  }

  #tooLarge(): Extract<Received, { ok: false }> {
    const most = `${Math.floor(this.mostBytes / (1 << 20))} MiB`;
    return refuse("too_large", `A file may be at most ${most} (files.maxSize)`);
  }
}

/** Yields the body's pieces until the signal aborts, even if the body hangs. */
async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = () => reject(new BrokenOff("The upload was cut off; nothing was saved"));
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

class BrokenOff extends Error {}

const DRAFT = /^\.[0-9a-f]{16}\.part$/;

function newDraft(): string {
  return `.${randomBytes(8).toString("hex")}.part`;
}

function sweepIn(inside: string, oldest: number): void {
  for (const name of readdirSync(inside).filter((one) => DRAFT.test(one))) {
    const found = lstatSync(`${inside}/${name}`, { throwIfNoEntry: false });
    const isOurs = found?.isFile() === true && found.uid === userInfo().uid;
    if (isOurs && found.mtimeMs < oldest) rmSync(`${inside}/${name}`, { force: true });
  }
}

function leadsTo(path: string, { dev, ino }: Pick<BigIntStats, "dev" | "ino">): boolean {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.dev === dev && found.ino === ino;
}

/** Creates an empty file under the first free name, which reserves that name. */
function claim(inside: string, name: string): string {
  for (let number = 1; number <= MOST_NUMBER; number++) {
    const tried = numbered(name, number);
    try {
      closeSync(openSync(`${inside}/${tried}`, "wx", 0o600));
      return tried;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
  return claim(inside, `${randomBytes(8).toString("hex")}-${name}`);
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) {
    const { bytesWritten } = await file.write(piece, at);
    at += bytesWritten;
  }
}

function refusalOf(error: unknown): Received {
  if (error instanceof BrokenOff) return refuse("bad_request", error.message);
  if (error instanceof FolderProblem) return refuse("internal", error.message);
  const code = systemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") return refuse("internal", "The host's disk is full");
  if (code !== undefined) return refuse("internal", `The file cannot be written: ${code}`);
  // The room aborted the stream: the client or the link is gone.
  return refuse("bad_request", `The upload was cut off: ${messageOf(error)}`);
}

function refuse(code: ErrorCode, error: string): Extract<Received, { ok: false }> {
  return { ok: false, code, error };
}
