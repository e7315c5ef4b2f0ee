// Owns the command line that removes a container when its client is killed: beside each client, a
// process in its own session waits for the client to end and then removes the container. The bridge
// does so sooner; this is for when no bridge is left. Pure.

import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import type { ContainerTools } from "./container-facts.ts";

/** Runs without the tag in the environment: a sweep that ends the client must not end this process. */
const START_WATCHER =
  'pid=$$; (cd /; exec setsid env -u "$0" /bin/sh -c "$1" sh "$pid" "$2" </dev/null >/dev/null 2>&1) & shift 2; exec "$@"';

/** Polls, since the client is not a child of this process. */
const WATCHER_SCRIPT =
  'trap "" HUP INT QUIT TERM; while kill -0 "$1" 2>/dev/null; do sleep 2; done; eval "$2"';

/** Returns the words that remove containers, after the program's own options. */
export function toRemovalArgs(
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
  const removal = toRemovalArgs(tools, [name]).map(quoted).join(" ");
  return {
    ...plan,
    argv: ["/bin/sh", "-c", START_WATCHER, PROCESS_TAG_ENV, WATCHER_SCRIPT, removal, ...plan.argv],
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
