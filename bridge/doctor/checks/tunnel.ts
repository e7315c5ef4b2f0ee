// Reports the installed tunnel programs, and whether the configured one is available.

import { messageOf, UserError } from "../../errors.ts";
import { finderOutside } from "../../providers/find-tool.ts";
import { NO_TUNNEL, planTunnel, TUNNEL_PROGRAMS, tunnelsHere } from "../../tunnels/programs.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

export async function checkTunnel(facts: Facts): Promise<Finding> {
  const { configuration, environment, folders } = facts;
  const bridge = await facts.bridge;
  if (bridge?.tunnel !== undefined) {
    const { program, up, address } = bridge.tunnel;
    if (up) return ok(`${address} by ${program}`);
    return warn(`${program} is down`, "pairpty restarts it; `pairpty logs` shows why it exited.");
  }
  const roots = typeof folders === "string" ? [] : [folders.folder];
  const find = finderOutside(environment["PATH"] ?? "", roots);
  const { tunnel = NO_TUNNEL } = configuration.merged.values;
  if (tunnel !== NO_TUNNEL) {
    try {
      return ok(`set to ${tunnel}: ${planTunnel(tunnel, find).name}`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return warn(messageOf(error), error.hint ?? "Correct the setting.");
    }
  }
  const here = tunnelsHere(find);
  if (here.length > 0) return ok(`${here.join(", ")}, for --tunnel`);
  return ok(`none of ${TUNNEL_PROGRAMS.join(", ")} is installed; --tunnel needs one of them`);
}
