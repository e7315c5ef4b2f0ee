// Checks the clock against the relay's: grants expire by the relay's clock, certificates by ours.

import { request as plain } from "node:http";
import { request as secure } from "node:https";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { workspacePath } from "../../../protocol/workspace.ts";
import type { RelayAddress } from "../../link/address.ts";
import { parseRelayAddress } from "../../link/address.ts";
import { routeTo } from "../../link/route.ts";
import { wayOf } from "../../link/way.ts";
import { createLog } from "../../log.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

const Health = z.object({ now: z.number() });

const ASK_MS = 4_000;
/** More skew could end a one-minute grant before it began. */
const MOST_SKEW_MS = 30_000;
/**
 * Before this program was written: a machine without a battery clock that is not on the network yet.
 */
const EARLIEST = Date.parse("2026-01-01");
const CURE = "Turn on network time: timedatectl set-ntp true, or in your system's settings.";

export async function checkClock(facts: Facts): Promise<Finding> {
  const bridge = await facts.bridge;
  const relay = bridge === undefined ? facts.relay : parseRelayAddress(bridge.relay, true);
  const told = typeof relay === "object" ? await relayTime(relay, facts) : undefined;
  return judgeClock(told, Date.now());
}

/** Compares the clocks. `told` is the relay's time and our time at the middle of the request. Pure. */
export function judgeClock(
  told: { readonly relay: number; readonly here: number } | undefined,
  now: number,
): Finding {
  const shown = new Date(now).toISOString();
  if (now < EARLIEST) return warn(`${shown} is wrong`, CURE);
  if (told === undefined) return ok(`${shown}; no relay to compare with`);
  const skew = told.here - told.relay;
  const seconds = (Math.abs(skew) / 1000).toFixed(1);
  if (Math.abs(skew) <= MOST_SKEW_MS) return ok(`${seconds} s off the relay's clock`);
  return warn(`${seconds} s ${skew > 0 ? "ahead of" : "behind"} the relay's clock`, CURE);
}

async function relayTime(
  relay: RelayAddress,
  { environment, configuration }: Facts,
): Promise<{ relay: number; here: number } | undefined> {
  const { ca } = configuration.merged.values;
  const route = await routeTo(
    relay,
    environment,
    ca,
    createLog("silent", () => {}),
  ).catch(() => undefined);
  if (route === undefined) return undefined;
  const way = wayOf(relay, route);
  const began = Date.now();
  const text = await new Promise<string>((resolve) => {
    const ask = relay.secure ? secure : plain;
    const url = `${relay.origin}${workspacePath("any", "/health")}`;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ws takes what Node's requests take
    const options = { ...way.options, timeout: ASK_MS } as object;
    const request = ask(url, options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => (body += part));
      response.on("end", () => resolve(body));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(""));
    request.on("close", () => resolve(""));
    request.end();
  });
  way.leave();
  const health = parseText(Health, text);
  if (!health.ok) return undefined;
  return { relay: health.value.now, here: (began + Date.now()) / 2 };
}
