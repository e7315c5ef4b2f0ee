// Owns the command line that removes a container when its client is killed: beside each client a
// process in its own session waits for the client's end, and then removes the container. The bridge
// does so sooner; this is for when no bridge is left. Pure.

import type { SpawnPlan } from "../../terminals/plan.ts";
import { MARK } from "../../mark.ts";
import type { ContainerTools } from "./facts.ts";

/** Without the mark: what is swept with the client would remove nothing. */
const BESIDE =
  'pid=$$; (cd /; exec setsid env -u "$0" /bin/sh -c "$1" sh "$pid" "$2" </dev/null >/dev/null 2>&1) & shift 2; exec "$@"';

/** By looking: it is no child of this one. */
const WAIT =
  'trap "" HUP INT QUIT TERM; while kill -0 "$1" 2>/dev/null; do sleep 2; done; eval "$2"';

/** What removes containers: the words after the program's own options. */
export function removalWords(
  { runtime, program, options }: Pick<ContainerTools, "runtime" | "program" | "options">,
  names: readonly string[],
): [string, ...string[]] {
  // One that is gone is what was wanted: only podman can be told so.
  const how = runtime === "podman" ? ["--time", "0", "--ignore"] : [];
  return [program, ...options, "rm", "--force", ...how, ...names];
}

export function watched(plan: SpawnPlan, tools: ContainerTools, name: string): SpawnPlan {
  const removal = removalWords(tools, [name]).map(quoted).join(" ");
  return { ...plan, argv: ["/bin/sh", "-c", BESIDE, MARK, WAIT, removal, ...plan.argv] };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
