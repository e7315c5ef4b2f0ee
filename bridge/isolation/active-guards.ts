// Owns which guards all running sandboxes have: paths that no sandboxed program can replace. A later
// sandbox guards only these, since its builder resolves names: a folder that an agent created
// meanwhile, swapped for a link at the right moment, would be mounted from elsewhere. Kept in a file
// for a bridge that finds sandboxes running.

import { dirname } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import { readOptionalFile } from "../workspace/private-file.ts";

const StoredPaths = z.array(z.string());

export class ActiveGuards {
  readonly #file: string;
  /** Undefined while no sandbox runs. */
  #paths: ReadonlySet<string> | undefined;

  /** `file` belongs to this workspace alone. */
  constructor(file: string) {
    this.#file = file;
    const stored = parseText(StoredPaths, readOptionalFile(file) ?? "");
    this.#paths = stored.ok ? new Set(stored.value) : undefined;
  }

  /** Whether a sandbox that starts now may guard this path. */
  allows(path: string): boolean {
    return this.#paths === undefined || this.#paths.has(path);
  }

  /** Adds the guards of a sandbox that starts. */
  add(paths: readonly string[]): void {
    const all = paths.filter((path) => this.allows(path));
    if (all.length === this.#paths?.size) return;
    this.#paths = new Set(all);
    makeFolder(dirname(this.#file));
    // Not synced to disk: after a power cut no sandbox runs.
    writeFileSync(this.#file, JSON.stringify(all), { mode: 0o600 });
  }

  /** Forgets all guards, after the last sandbox has ended. */
  clear(): void {
    this.#paths = undefined;
    rmSync(this.#file, { force: true });
  }
}
