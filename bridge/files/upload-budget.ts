// Owns how many files pages may upload: concurrently, per minute and in total. Pure except for its
// clock.

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
