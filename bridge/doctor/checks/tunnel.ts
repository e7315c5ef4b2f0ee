// Reports the installed tunnel programs, and whether the configured one is available.

import { errorMessage, UserError } from "../../errors.ts";
import { toOutsideFinder } from "../../isolation/find-tool.ts";
import {
  NO_TUNNEL,
  planTunnel,
  TUNNEL_PROGRAMS,
  listInstalledTunnels,
} from "../../tunnels/tunnel-programs.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

export async function checkTunnel(facts: DoctorFacts): Promise<Finding> {
  const { configuration, environment, folders } = facts;
  const bridge = await facts.bridge;
  if (bridge?.tunnel !== undefined) {
    const { program, up, address } = bridge.tunnel;
    if (up) return ok(`${address} by ${program}`);
    return warn(`${program} is down`, "pairpty restarts it; `pairpty logs` shows why it exited.");
  }
  const roots = typeof folders === "string" ? [] : [folders.folder];
  const find = toOutsideFinder(environment["PATH"] ?? "", roots);
  const { tunnel = NO_TUNNEL } = configuration.merged.values;
  if (tunnel !== NO_TUNNEL) {
    try {
      return ok(`set to ${tunnel}: ${planTunnel(tunnel, find).name}`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return warn(errorMessage(error), error.hint ?? "Correct the setting.");
    }
  }
  const installed = listInstalledTunnels(find);
  if (installed.length > 0) return ok(`${installed.join(", ")}, for --tunnel`);
  return ok(`none of ${TUNNEL_PROGRAMS.join(", ")} is installed; --tunnel needs one of them`);
}
