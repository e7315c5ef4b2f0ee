// Checks the clock against the relay's: grants expire by the relay's clock, certificates by ours.

import { request as plain } from "node:http";
import { request as secure } from "node:https";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { workspacePath } from "../../../protocol/workspace.ts";
import type { RelayAddress } from "../../link/relay-address.ts";
import { parseRelayAddress } from "../../link/relay-address.ts";
import { resolveRoute } from "../../link/dial-route.ts";
import { createDial } from "../../link/dial.ts";
import { createLog } from "../../log.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

const Health = z.object({ now: z.number() });

const REQUEST_TIMEOUT_MS = 4_000;
/** More skew could end a one-minute grant before it began. */
const MAX_SKEW_MS = 30_000;
/** Earlier than this program was written: the machine has no battery clock and is not on the network yet. */
const EARLIEST = Date.parse("2026-01-01");
const NETWORK_TIME_CURE =
  "Turn on network time: timedatectl set-ntp true, or in your system's settings.";

export async function checkClock(facts: DoctorFacts): Promise<Finding> {
  const bridge = await facts.bridge;
  const relay = bridge === undefined ? facts.relay : parseRelayAddress(bridge.relay, true);
  const measured = typeof relay === "object" ? await fetchRelayTime(relay, facts) : undefined;
  return judgeClock(measured, Date.now());
}

/** Compares the clocks. `measured` has the relay's time and ours at the middle of the request. Pure. */
export function judgeClock(
  measured: { readonly relay: number; readonly here: number } | undefined,
  now: number,
): Finding {
  const shown = new Date(now).toISOString();
  if (now < EARLIEST) return warn(`${shown} is wrong`, NETWORK_TIME_CURE);
  if (measured === undefined) return ok(`${shown}; no relay to compare with`);
  const skew = measured.here - measured.relay;
  const seconds = (Math.abs(skew) / 1000).toFixed(1);
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok(`${seconds} s off the relay's clock`);
  return warn(
    `${seconds} s ${skew > 0 ? "ahead of" : "behind"} the relay's clock`,
    NETWORK_TIME_CURE,
  );
}

async function fetchRelayTime(
  relay: RelayAddress,
  { environment, configuration }: DoctorFacts,
): Promise<{ relay: number; here: number } | undefined> {
  const { ca } = configuration.merged.values;
  const route = await resolveRoute(
    relay,
    environment,
    ca,
    createLog("silent", () => {}),
  ).catch(() => undefined);
  if (route === undefined) return undefined;
  const way = createDial(relay, route);
  const began = Date.now();
  const text = await new Promise<string>((resolve) => {
    const send = relay.secure ? secure : plain;
    const url = `${relay.origin}${workspacePath("any", "/health")}`;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ws takes what Node's requests take
    const options = { ...way.options, timeout: REQUEST_TIMEOUT_MS } as object;
    const request = send(url, options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => (body += part));
      response.on("end", () => resolve(body));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(""));
    request.on("close", () => resolve(""));
    request.end();
  });
  way.abort();
  const health = parseText(Health, text);
  if (!health.ok) return undefined;
  return { relay: health.value.now, here: (began + Date.now()) / 2 };
}
