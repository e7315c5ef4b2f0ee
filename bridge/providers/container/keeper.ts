// Owns removing containers: each when its last holder lets go of it, and those of this workspace
// that nobody holds when a bridge starts or stops. A killed client leaves its container running, so
// only this ends it.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../log.ts";
import type { RunProgram } from "../../processes/program.ts";
import { makeFolder } from "../../workspace/make-folder.ts";
import { writePrivateFile } from "../../workspace/private-file.ts";
import type { ContainerTools } from "./facts.ts";
import { removalWords } from "./watched.ts";
import { LABEL } from "./wrap.ts";

const REMOVE_MS = 20_000;
const ATTEMPTS = 4;
const BETWEEN_MS = 500;

export type KeptTools = Pick<ContainerTools, "runtime" | "program" | "options">;

export interface KeeperParts {
  /** Of this workspace alone. */
  readonly folder: string;
  /** This workspace's among all, which containers are labelled with. */
  readonly label: string;
  readonly run: RunProgram;
  readonly log: Pick<Log, "warn">;
  /** Undefined where no container can be made, nor be left. */
  tools(): Promise<KeptTools | undefined>;
}

export class ContainerKeeper {
  readonly #parts: KeeperParts;
  readonly #holders = new Map<string, number>();
  readonly #removals = new Set<Promise<void>>();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Returns its end; the last one removes the container. */
  hold(name: string): () => void {
    this.#mark();
    this.#holders.set(name, (this.#holders.get(name) ?? 0) + 1);
    return () => {
      const left = (this.#holders.get(name) ?? 1) - 1;
      if (left > 0) return void this.#holders.set(name, left);
      this.#holders.delete(name);
      const removal = this.#remove([name]);
      this.#removals.add(removal);
      void removal.finally(() => this.#removals.delete(removal));
    };
  }

  /** Removes what this workspace has left; nothing is asked where it never had any. */
  async sweep(): Promise<void> {
    await Promise.all(this.#removals);
    if (!existsSync(this.#marker)) return;
    const tools = await this.#parts.tools();
    if (tools === undefined) return;
    const filter = `label=${LABEL}=${this.#parts.label}`;
    const args = ["ps", "--all", "--filter", filter, "--format", "{{.Names}}"];
    const ran = await this.#parts.run(tools.program, [...tools.options, ...args], REMOVE_MS);
    if (ran.is !== "ended" || ran.code !== 0) return;
    const left = ran.lines.filter((name) => name !== "" && !this.#holders.has(name));
    await this.#remove(left);
    if (this.#holders.size === 0) rmSync(this.#marker, { force: true });
  }

  async #remove(names: readonly string[]): Promise<void> {
    const tools = names.length === 0 ? undefined : await this.#parts.tools();
    if (tools === undefined) return;
    const [, ...args] = removalWords(tools, names);
    // One that is just ending may refuse once.
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await delay(BETWEEN_MS);
      const ran = await this.#parts.run(tools.program, args, REMOVE_MS);
      const isGone = ran.is === "ended" && /no such container/i.test(ran.complaint);
      if (isGone || (ran.is === "ended" && ran.code === 0)) return;
    }
    this.#parts.log.warn(`containers were not removed: ${names.join(", ")}`);
  }

  /** That there may be something to sweep, for a bridge that comes after a crash. */
  #mark(): void {
    if (existsSync(this.#marker)) return;
    makeFolder(this.#parts.folder);
    writePrivateFile(this.#marker, "");
  }

  get #marker(): string {
    return join(this.#parts.folder, "containers");
  }
}
