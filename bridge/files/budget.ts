// Owns how many files pages may upload: concurrently, per minute and in total. Pure except for its
// clock.

import { KiB, MiB } from "../../protocol/limits.ts";

export interface FileLimits {
  /** Per link: a sender that never finishes blocks only itself. */
  readonly atOnce: number;
  readonly allAtOnce: number;
  readonly perMinute: number;
  readonly mostFiles: number;
  readonly mostBytes: number;
}

/** More than a person drops by hand; a loop fills neither the disk nor a folder. */
export const FILE_LIMITS: FileLimits = {
  atOnce: 4,
  allAtOnce: 8,
  perMinute: 60,
  mostFiles: 1_000,
  mostBytes: 512 * MiB,
};

/** Disk space of the smallest file. */
const BLOCK = 4 * KiB;
const MINUTE_MS = 60_000;

/** An upload in progress. */
export interface Place {
  /** Reserves bytes; false if the total would exceed its limit. */
  take(bytes: number): boolean;
  /** Ends the upload, complete or aborted. Later calls do nothing. */
  end(isKept: boolean): void;
}

export type Placed = { readonly ok: true; readonly place: Place } | { ok: false; error: string };

export class FileBudget {
  readonly #limits: FileLimits;
  readonly #now: () => number;
  readonly #underWay = new Map<string, number>();
  #begun: number[] = [];
  #files = 0;
  #bytes = 0;

  constructor(limits: FileLimits = FILE_LIMITS, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  begin(grant: string): Placed {
    const { atOnce, allAtOnce, perMinute, mostFiles } = this.#limits;
    const ours = this.#underWay.get(grant) ?? 0;
    const all = [...this.#underWay.values()].reduce((sum, count) => sum + count, 0);
    if (ours >= atOnce || all >= allAtOnce) {
      return refuse(
        `${ours >= atOnce ? ours : all} uploads are already running; wait for one to end`,
      );
    }
    const now = this.#now();
    this.#begun = this.#begun.filter((at) => at > now - MINUTE_MS);
    if (this.#begun.length >= perMinute) {
      return refuse(`${perMinute} files were uploaded within a minute; wait a moment`);
    }
    if (this.#files + all >= mostFiles) {
      return refuse(
        `${mostFiles} files were uploaded since pairpty started; restart it to upload more`,
      );
    }
    this.#begun.push(now);
    this.#underWay.set(grant, ours + 1);
    return { ok: true, place: this.#place(grant) };
  }

  #place(grant: string): Place {
    let taken = BLOCK;
    let isOver = false;
    this.#bytes += taken;
    return {
      take: (bytes) => {
        if (this.#bytes + bytes > this.#limits.mostBytes) return false;
        taken += bytes;
        this.#bytes += bytes;
        return true;
      },
      end: (isKept) => {
        if (isOver) return;
        isOver = true;
        if (isKept) this.#files += 1;
        else this.#bytes -= taken;
        const left = (this.#underWay.get(grant) ?? 1) - 1;
        if (left === 0) this.#underWay.delete(grant);
        else this.#underWay.set(grant, left);
      },
    };
  }
}

function refuse(error: string): Placed {
  return { ok: false, error };
}
