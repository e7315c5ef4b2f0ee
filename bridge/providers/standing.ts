// Owns which guards every wall that stands now has: what a program behind one of them cannot swap.
// A later wall guards no more than these, since the builders of walls follow names: a folder that an
// agent made meanwhile, swapped for a link at the right moment, would be mounted from elsewhere.
// Kept in a file, for a bridge that finds walls standing.

import { dirname } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import { readOptionalFile } from "../workspace/private-file.ts";

const Kept = z.array(z.string());

export class StandingGuards {
  readonly #file: string;
  /** Undefined while no wall stands. */
  #paths: ReadonlySet<string> | undefined;

  /** `file` is this workspace's alone. */
  constructor(file: string) {
    this.#file = file;
    const kept = parseText(Kept, readOptionalFile(file) ?? "");
    this.#paths = kept.ok ? new Set(kept.value) : undefined;
  }

  /** Whether a wall that is built now may guard this path. */
  allows(path: string): boolean {
    return this.#paths === undefined || this.#paths.has(path);
  }

  /** A wall with these goes up. */
  add(paths: readonly string[]): void {
    const all = paths.filter((path) => this.allows(path));
    if (all.length === this.#paths?.size) return;
    this.#paths = new Set(all);
    makeFolder(dirname(this.#file));
    // Not to the disk at once: after a power cut no wall stands.
    writeFileSync(this.#file, JSON.stringify(all), { mode: 0o600 });
  }

  /** None stands any more. */
  clear(): void {
    this.#paths = undefined;
    rmSync(this.#file, { force: true });
  }
}
