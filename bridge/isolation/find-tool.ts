// Owns finding the programs that build sandboxes and containers. Those that run inside are the
// system's; those that run outside may come from the user's PATH, but never from a folder that
// agents can write. Also owns the result of checking something that may not work on this machine: a
// value, or the reason and what to do. And caching a slow check: a good result stays, a bad one
// expires, since the user may fix the problem.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../workspace/folders.ts";

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/run/current-system/sw/bin"];

export type FindTool = (name: string) => string | undefined;

/** Finds a program of the system. */
export const findTool: FindTool = (name) => findFirst(FOLDERS, name);

/** Returns a finder over the user's PATH, then the system's folders. */
export function toOutsideFinder(path: string, roots: readonly string[]): FindTool {
  const folders = toOutsidePath(path, roots).split(delimiter);
  return (name) => findFirst([...folders, ...FOLDERS], name);
}

/** Returns a PATH for programs outside: what they start must not come from an agent either. */
export function toOutsidePath(path: string, roots: readonly string[]): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .filter((folder) => !roots.some((root) => isInside(toRealPath(folder), root)))
    .join(delimiter);
}

function toRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // The folder does not exist; if it is created later, its text decides.
    return resolve(folder);
  }
}

function findFirst(folders: readonly string[], name: string): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        // Does not exist, or is not executable.
        return false;
      }
    });
}

export type Ability<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly cure: string };

/** Builds the negative result. Neither text ends with a full stop: callers join them. */
export function toUnavailable(why: string, cure: string): Ability<never> {
  return { ok: false, why, cure };
}

export function formatUnavailable({
  why,
  cure,
}: {
  readonly why: string;
  readonly cure: string;
}): string {
  return `${why}. ${cure}.`;
}

const FAILURE_CACHE_MS = 30_000;

export class CachedCheck<T> {
  readonly #check: () => Promise<Ability<T>>;
  readonly #now: () => number;
  #checkedAt: { readonly at: number; readonly answer: Promise<Ability<T>> } | undefined;
  #lastResult: Ability<T> | undefined;

  constructor(ask: () => Promise<Ability<T>>, now: () => number = Date.now) {
    this.#check = ask;
    this.#now = now;
  }

  /** The last result, if there is one. */
  get lastResult(): Ability<T> | undefined {
    return this.#lastResult;
  }

  async run(): Promise<Ability<T>> {
    const isStale =
      this.#checkedAt === undefined ||
      (this.#lastResult?.ok === false && this.#now() - this.#checkedAt.at >= FAILURE_CACHE_MS);
    if (isStale || this.#checkedAt === undefined) {
      this.#checkedAt = { at: this.#now(), answer: this.#check() };
    }
    this.#lastResult = await this.#checkedAt.answer;
    return this.#lastResult;
  }
}
