// Reports whether people's traffic is end-to-end encrypted, and what the relay can read.

import { DEFAULT_E2E, resolveE2e } from "../../config/resolve-e2e.ts";
import { formatEncryption } from "../../sealed/encryption-notes.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { ok } from "../finding.ts";
import { NO_TUNNEL } from "../../tunnels/tunnel-programs.ts";

/** Reports on the running bridge; without one, on what the settings would give. */
export async function checkEncryption({
  bridge,
  configuration,
}: Pick<DoctorFacts, "bridge" | "configuration">): Promise<Finding> {
  const running = await bridge;
  if (running !== undefined) return ok(formatEncryption(running));
  const { e2e: setting = DEFAULT_E2E, relay, tunnel } = configuration.merged.values;
  const route = { relay, tunnel: tunnel === NO_TUNNEL ? undefined : tunnel };
  const isHere = route.relay === undefined && route.tunnel === undefined;
  const planned = formatEncryption({ e2e: resolveE2e(setting, route), embedded: isHere });
  return ok(`${planned} (e2e is ${setting})`);
}
