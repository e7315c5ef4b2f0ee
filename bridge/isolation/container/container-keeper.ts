// Owns removing containers: each when its last holder releases it, and unheld ones of this
// workspace when a bridge starts or stops. A killed client leaves its container running, so nothing
// else would end it. Also owns the command line that removes a container when its client is killed:
// beside each client, a process in its own session waits for the client to end and then removes the
// container.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { singleQuote } from "../../../protocol/formats.ts";
import type { Log } from "../../log.ts";
import type { RunProgram } from "../../processes/run-program.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import { makeFolder, writePrivateFile } from "../../workspace/private-file.ts";
import { WORKSPACE_LABEL } from "./container-command.ts";
import type { ContainerTools } from "./container-command.ts";

const REMOVE_MS = 20_000;
const ATTEMPTS = 4;
const BETWEEN_MS = 500;

export type KeeperTools = Pick<ContainerTools, "runtime" | "program" | "options">;

export interface ContainerKeeperDeps {
  /** A folder for this workspace alone. */
  readonly folder: string;
  /** The name of this workspace, which labels its containers. */
  readonly label: string;
  readonly run: RunProgram;
  readonly log: Pick<Log, "warn">;
  /** Resolves undefined if containers cannot run here, so that none can be left over. */
  tools(): Promise<KeeperTools | undefined>;
}

export class ContainerKeeper {
  readonly #deps: ContainerKeeperDeps;
  readonly #holders = new Map<string, number>();
  readonly #removals = new Set<Promise<void>>();

  constructor(deps: ContainerKeeperDeps) {
    this.#deps = deps;
  }

  /** Holds a container; returns its release. The last release removes the container. */
  hold(name: string): () => void {
    this.#recordUse();
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

  /** Removes leftover containers of this workspace; does nothing if it never had any. */
  async sweep(): Promise<void> {
    await Promise.all(this.#removals);
    if (!existsSync(this.#markerFile)) return;
    const tools = await this.#deps.tools();
    if (tools === undefined) return;
    const filter = `label=${WORKSPACE_LABEL}=${this.#deps.label}`;
    const args = ["ps", "--all", "--filter", filter, "--format", "{{.Names}}"];
    const ran = await this.#deps.run(tools.program, [...tools.options, ...args], REMOVE_MS);
    if (ran.is !== "ended" || ran.code !== 0) return;
    const left = ran.lines.filter((name) => name !== "" && !this.#holders.has(name));
    await this.#remove(left);
    if (this.#holders.size === 0) rmSync(this.#markerFile, { force: true });
  }

  async #remove(names: readonly string[]): Promise<void> {
    const tools = names.length === 0 ? undefined : await this.#deps.tools();
    if (tools === undefined) return;
    const [, ...args] = toRemovalArgs(tools, names);
    // A container that is just ending may refuse the first attempt.
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await delay(BETWEEN_MS);
      const ran = await this.#deps.run(tools.program, args, REMOVE_MS);
      const isGone = ran.is === "ended" && /no such container/i.test(ran.errorLine);
      if (isGone || (ran.is === "ended" && ran.code === 0)) return;
    }
    this.#deps.log.warn(`could not remove containers: ${names.join(", ")}`);
  }

  /** Records that there may be containers, for a bridge that starts after a crash. */
  #recordUse(): void {
    if (existsSync(this.#markerFile)) return;
    makeFolder(this.#deps.folder);
    writePrivateFile(this.#markerFile, "");
  }

  get #markerFile(): string {
    return join(this.#deps.folder, "containers");
  }
}

// The bridge does so sooner; this is for when no bridge is left. Pure.

/** Runs without the tag in the environment: a sweep that ends the client must not end this process. */
const START_WATCHER =
  'pid=$$; (cd /; exec setsid env -u "$0" /bin/sh -c "$1" sh "$pid" "$2" </dev/null >/dev/null 2>&1) & shift 2; exec "$@"';

/** Polls, since the client is not a child of this process. */
const WATCHER_SCRIPT =
  'trap "" HUP INT QUIT TERM; while kill -0 "$1" 2>/dev/null; do sleep 2; done; eval "$2"';

/** Returns the words that remove containers, after the program's own options. */
function toRemovalArgs(
  { runtime, program, options }: Pick<ContainerTools, "runtime" | "program" | "options">,
  names: readonly string[],
): [string, ...string[]] {
  // A container that is already gone is not an error, but only podman has an option to ignore it.
  const how = runtime === "podman" ? ["--time", "0", "--ignore"] : [];
  return [program, ...options, "rm", "--force", ...how, ...names];
}

export function withRemovalWatcher(
  plan: SpawnPlan,
  tools: ContainerTools,
  name: string,
): SpawnPlan {
  const removal = toRemovalArgs(tools, [name]).map(singleQuote).join(" ");
  return {
    ...plan,
    argv: ["/bin/sh", "-c", START_WATCHER, PROCESS_TAG_ENV, WATCHER_SCRIPT, removal, ...plan.argv],
  };
}
