// Checks the connection to the relay: that of the running bridge, or a test dial to the configured
// relay, which takes the room's challenge and leaves without a claim.

import { WebSocket } from "ws";
import { errorMessage, UserError } from "../../errors.ts";
import type { RelayAddress } from "../../link/relay-address.ts";
import { linkUrl } from "../../link/relay-address.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import { toDialProblem, toProxyProblem } from "../../link/dial-problem.ts";
import { resolveRoute } from "../../link/dial-route.ts";
import { PROXY_CONNECTED, createDial } from "../../link/dial.ts";
import { createLog } from "../../log.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

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
      ...(hint === undefined ? {} : { hint }),
    };
  }
}
