// Owns how many files may come from pages: at once, in a minute, and in all. Pure but for its clock.

import { KiB, MiB } from "../../protocol/limits.ts";

export interface FileLimits {
  /** Of one link: a sender that never ends holds up itself. */
  readonly atOnce: number;
  readonly allAtOnce: number;
  readonly perMinute: number;
  readonly mostFiles: number;
  readonly mostBytes: number;
}

/** More than somebody drops by hand; a loop fills neither the disk nor a folder. */
export const FILE_LIMITS: FileLimits = {
  atOnce: 4,
  allAtOnce: 8,
  perMinute: 60,
  mostFiles: 1_000,
  mostBytes: 512 * MiB,
};

/** What the smallest file costs a disk. */
const BLOCK = 4 * KiB;
const MINUTE_MS = 60_000;

/** One file on its way. */
export interface Place {
  /** False where so many bytes more are too much in all. */
  take(bytes: number): boolean;
  /** It is whole, or it was given up; once. */
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
      return refuse(`There were ${perMinute} files in a minute; wait a moment`);
    }
    if (this.#files + all >= mostFiles) {
      return refuse(`There were ${mostFiles} files since pairpty started; restart it for more`);
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
