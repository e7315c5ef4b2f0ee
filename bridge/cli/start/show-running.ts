// Shows the links of a bridge that already runs in this folder, or which flags it cannot adopt. Starts
// nothing.

import { requestBridge } from "../../doors/control/control-client.ts";
import type { ReadyAnswer } from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { parseRelayAddress } from "../../link/relay-address.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import { NO_TUNNEL } from "../../tunnels/tunnel-programs.ts";
import { showScreen, copyOrOpenLink } from "../screen/first-screen.ts";
import type { StartFlags, StartOptions } from "../flags/start-options.ts";
import { readCode } from "../flags/parse-arguments.ts";
import { printWrapped } from "../output/output.ts";

export async function showRunning(
  socket: string,
  flags: StartFlags,
  options: StartOptions,
): Promise<void> {
  const ready = await requestBridge(socket, { verb: "ready", ...(await readCode(flags)) });
  if (ready === undefined) {
    throw new UserError(
      "another pairpty is starting or stopping here; try again",
      ExitCode.noBridge,
    );
  }
  const conflicts = listConflictingFlags(flags, ready);
  if (conflicts.length > 0) {
    throw new UserError(
      `pairpty is already running here, without ${conflicts.join(", ")}`,
      ExitCode.usage,
      "Stop it first (`pairpty stop`), then start it again.",
    );
  }
  if (process.env[PROCESS_TAG_ENV] !== undefined) {
    return printWrapped(
      "pairpty is already running here. This terminal is shared: run `pairpty` in another one to see the links.",
    );
  }
  await showScreen(ready, options, { milliseconds: undefined, adopted: 0, elsewhere: true });
  return copyOrOpenLink(ready, options);
}

/** Whether a running bridge differs from what `--e2e` asks for; `auto` fits both. */
function conflictsWithE2e(flag: StartFlags["e2e"], { e2e = false }: ReadyAnswer): boolean {
  return flag !== undefined && flag !== "auto" && (flag === "on") !== e2e;
}

/** Returns the given flags that a running bridge cannot adopt. */
function listConflictingFlags(flags: StartFlags, ready: ReadyAnswer): string[] {
  const { relay, workspace, tunnel } = ready;
  const { port } = new URL(ready.local?.relay ?? relay);
  const requestedRelay =
    flags.relay === undefined ? undefined : parseRelayAddress(flags.relay, true);
  const checks: [string, boolean][] = [
    ["--new", flags.new === true],
    ["--relay", requestedRelay !== undefined && requestedRelay.origin !== relay],
    ["--tunnel", flags.tunnel !== undefined && flags.tunnel !== NO_TUNNEL && tunnel === undefined],
    ["--port", ![undefined, 0, Number(port)].includes(flags.port)],
    ["--workspace", flags.workspace !== undefined && flags.workspace !== workspace],
    ["--shell", flags.shell !== undefined],
    ["--knock", flags.knock !== undefined],
    ["--e2e", conflictsWithE2e(flags.e2e, ready)],
    ["--grace", flags.grace !== undefined],
    ["--agent-idle", flags.agentIdle !== undefined],
    ["--agent-root", flags.agentRoot !== undefined],
    ["--agent-isolation", flags.agentIsolation !== undefined],
    ["--agent-env", flags.agentEnv !== undefined],
  ];
  return checks.filter(([, differs]) => differs).map(([name]) => name);
}
