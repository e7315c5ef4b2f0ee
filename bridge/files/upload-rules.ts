// Owns how many files pages may upload: concurrently, per minute and in total. Pure except for its
// clock. Also owns the local name of a file from the page: one plain file name, whatever the page
// sent.

import { KiB, MiB } from "../../protocol/limits.ts";

export interface UploadLimits {
  /** Per link: a sender that never finishes blocks only itself. */
  readonly maxConcurrentPerLink: number;
  readonly maxConcurrent: number;
  readonly maxPerMinute: number;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** More than a person drops by hand; a loop fills neither the disk nor a folder. */
export const UPLOAD_LIMITS: UploadLimits = {
  maxConcurrentPerLink: 4,
  maxConcurrent: 8,
  maxPerMinute: 60,
  maxFiles: 1_000,
  maxBytes: 512 * MiB,
};

/** Disk space of the smallest file. */
const BLOCK = 4 * KiB;
const MINUTE_MS = 60_000;

/** An upload in progress. */
export interface UploadSlot {
  /** Reserves bytes; false if the total would exceed its limit. */
  reserve(bytes: number): boolean;
  /** Ends the upload, complete or aborted. Later calls do nothing. */
  end(isKept: boolean): void;
}

export type UploadAdmission =
  | { readonly ok: true; readonly slot: UploadSlot }
  | { ok: false; error: string };

export class UploadBudget {
  readonly #limits: UploadLimits;
  readonly #now: () => number;
  readonly #active = new Map<string, number>();
  #startedAt: number[] = [];
  #files = 0;
  #bytes = 0;

  constructor(limits: UploadLimits = UPLOAD_LIMITS, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  begin(grant: string): UploadAdmission {
    const { maxConcurrentPerLink, maxConcurrent, maxPerMinute, maxFiles } = this.#limits;
    const ofGrant = this.#active.get(grant) ?? 0;
    const all = [...this.#active.values()].reduce((sum, count) => sum + count, 0);
    if (ofGrant >= maxConcurrentPerLink || all >= maxConcurrent) {
      return refuse(
        `${ofGrant >= maxConcurrentPerLink ? ofGrant : all} uploads are already running; wait for one to end`,
      );
    }
    const now = this.#now();
    this.#startedAt = this.#startedAt.filter((at) => at > now - MINUTE_MS);
    if (this.#startedAt.length >= maxPerMinute) {
      return refuse(`${maxPerMinute} files were uploaded within a minute; wait a moment`);
    }
    if (this.#files + all >= maxFiles) {
      return refuse(
        `${maxFiles} files were uploaded since pairpty started; restart it to upload more`,
      );
    }
    this.#startedAt.push(now);
    this.#active.set(grant, ofGrant + 1);
    return { ok: true, slot: this.#openSlot(grant) };
  }

  #openSlot(grant: string): UploadSlot {
    let taken = BLOCK;
    let hasEnded = false;
    this.#bytes += taken;
    return {
      reserve: (bytes) => {
        if (this.#bytes + bytes > this.#limits.maxBytes) return false;
        taken += bytes;
        this.#bytes += bytes;
        return true;
      },
      end: (isKept) => {
        if (hasEnded) return;
        hasEnded = true;
        if (isKept) this.#files += 1;
        else this.#bytes -= taken;
        const left = (this.#active.get(grant) ?? 1) - 1;
        if (left === 0) this.#active.delete(grant);
        else this.#active.set(grant, left);
      },
    };
  }
}

function refuse(error: string): UploadAdmission {
  return { ok: false, error };
}

/** Bytes of a name: Linux allows 255, and a number may be appended. */
const MAX_NAME_BYTES = 120;
/** Bytes of an extension; a longer one counts as part of the name. */
const MAX_EXTENSION_BYTES = 16;

/** Control, bidi, line-end and invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export function cleanFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  // Normalized last: combining marks that invisible characters separated are then in canonical
  // order.
  const plain = last.replaceAll(INVISIBLE, "").normalize("NFC").replaceAll(/\s+/g, " ");
  // The name must look neither like a hidden file nor like an option of the command before it.
  const name = plain.replace(/^[-. ]+/, "").replace(/[. ]+$/, "");
  const { stem, ending } = splitExtension(name === "" ? "file" : name);
  return `${truncateToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(ending)).trimEnd()}${ending}`;
}

/** Returns `shot.png`, `shot-2.png`, …: existing files are never replaced. */
export function withNumber(name: string, number: number): string {
  if (number === 1) return name;
  const { stem, ending } = splitExtension(name);
  return `${stem}-${number}${ending}`;
}

function splitExtension(name: string): { readonly stem: string; readonly ending: string } {
  const dot = name.lastIndexOf(".");
  const isExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES;
  return isExtension
    ? { stem: name.slice(0, dot), ending: name.slice(dot) }
    : { stem: name, ending: "" };
}

/** Cuts text to a number of bytes, at a character boundary. */
function truncateToBytes(text: string, bytes: number): string {
  let left = bytes;
  let cut = "";
  for (const character of text) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    cut += character;
  }
  return cut;
}
