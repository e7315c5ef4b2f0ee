// Checks the way to the relay: the clock, a proxy, certificates, and the connection itself. Grants
// expire by the relay's clock, certificates by ours.

import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { WebSocket } from "ws";
import * as z from "zod/mini";
import { compact } from "../../../protocol/compact.ts";
import { parseText } from "../../../protocol/json.ts";
import { workspacePath } from "../../../protocol/workspace.ts";
import { errorMessage, UserError } from "../../errors.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import { toDialProblem, toProxyProblem } from "../../link/dial-problem.ts";
import {
  resolveRoute,
  findProxy,
  formatProxy,
  readCertificates,
  createDial,
  PROXY_CONNECTED,
} from "../../link/dial-route.ts";
import type { RelayAddress } from "../../link/relay-address.ts";
import { parseRelayAddress, linkUrl } from "../../link/relay-address.ts";
import { createLog } from "../../log.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { ok, warn, fail } from "../finding.ts";

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

/** Stands in for any relay when none is configured. */
const EXAMPLE_RELAY = { origin: "https://relay.example.com", loopback: false, secure: true };

export async function checkProxy({ relay, environment }: DoctorFacts): Promise<Finding> {
  if (typeof relay === "string") return ok("unknown until the relay's address is right");
  try {
    const proxy = await findProxy(relay ?? EXAMPLE_RELAY, environment);
    const whose = relay === undefined ? "for a relay elsewhere" : `to ${relay.origin}`;
    return ok(proxy === undefined ? `none ${whose}` : `${formatProxy(proxy)} ${whose}`);
  } catch (error) {
    const hint = error instanceof UserError ? error.hint : undefined;
    return fail(errorMessage(error), hint ?? "Correct it.");
  }
}

export function checkAuthorities({ configuration, environment }: DoctorFacts): Finding {
  const named: string[] = [];
  const { ca } = configuration.merged.values;
  if (ca !== undefined) {
    const read = readCertificates(ca);
    if (!read.ok) return fail(`ca: ${read.error}`, "Set it to a PEM file of certificates.");
    named.push(`ca ${ca}`);
  }
  for (const variable of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    const path = environment[variable];
    if (path === undefined || path === "") continue;
    const read = readCertificates(path);
    if (!read.ok) {
      return warn(`${variable}: ${read.error}`, `Set ${variable} to a PEM file of certificates.`);
    }
    named.push(`${variable} ${path}`);
  }
  return ok(["Node's built-in CAs", ...named].join(", "));
}

/** No workspace has this name; a relay sends its challenge for any. */
const TEST_WORKSPACE = "pairpty-doctor";
const DIAL_TIMEOUT_MS = 6_000;
const DEFAULT_CURE = "Is the address right, and is the relay running?";

export async function checkLink(facts: DoctorFacts): Promise<Finding> {
  const bridge = await facts.bridge;
  if (bridge !== undefined) {
    const { link, relay, problem, latency } = bridge;
    if (link === "up") return ok(`up, ${relay}, ${latency.relayMs ?? "?"} ms`);
    return fail(
      `down: ${problem ?? "no reason known"}`,
      "`pairpty logs --source bridge` shows more.",
    );
  }
  const { relay } = facts;
  if (relay === undefined) return ok("no bridge is running here, and no relay elsewhere is set");
  if (typeof relay === "string") return fail(relay, "Correct the relay's address.");
  const began = performance.now();
  const problem = await tryDial(relay, facts);
  if (problem !== undefined) return fail(problem.reason, problem.hint ?? DEFAULT_CURE);
  return ok(`${relay.origin} answers in ${Math.round(performance.now() - began)} ms`);
}

async function tryDial(relay: RelayAddress, facts: DoctorFacts): Promise<DialProblem | undefined> {
  const { ca } = facts.configuration.merged.values;
  try {
    const route = await resolveRoute(
      relay,
      facts.environment,
      ca,
      createLog("silent", () => {}),
    );
    const way = createDial(relay, route);
    const socket = new WebSocket(linkUrl(relay, TEST_WORKSPACE), {
      ...way.options,
      perMessageDeflate: false,
      handshakeTimeout: DIAL_TIMEOUT_MS,
    });
    const problem = await new Promise<DialProblem | undefined>((resolve) => {
      socket.once("message", () => resolve(undefined));
      socket.once("close", (code, reason) =>
        resolve({ reason: reason.toString() || `closed with ${code}`, isPermanent: false }),
      );
      socket.on("error", (error) => resolve(toDialProblem(error, way.getProgress())));
      socket.once("unexpected-response", (_request, response) => {
        const { proxy, proxyStatus = 0, host } = way.getProgress();
        const byProxy = proxy !== undefined && proxyStatus !== PROXY_CONNECTED;
        const reason = `the relay answered ${response.statusCode}`;
        resolve(
          byProxy ? toProxyProblem(proxyStatus, proxy, host) : { reason, isPermanent: false },
        );
      });
    });
    socket.terminate();
    way.abort();
    return problem;
  } catch (error) {
    const hint = error instanceof UserError ? error.hint : undefined;
    return {
      reason: errorMessage(error),
      isPermanent: true,
      ...compact({ hint }),
    };
  }
}
