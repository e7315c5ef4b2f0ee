// Checks the connection to the relay: that of the running bridge, or a test dial to the configured
// relay, which takes the room's challenge and leaves without a claim.

import { WebSocket } from "ws";
import { messageOf, UserError } from "../../errors.ts";
import type { RelayAddress } from "../../link/address.ts";
import { linkUrl } from "../../link/address.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import { dialError, proxyRefusal } from "../../link/dial-problem.ts";
import { routeTo } from "../../link/route.ts";
import { PROXY_CONNECTED, wayOf } from "../../link/way.ts";
import { createLog } from "../../log.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

/** No workspace has this name; a relay sends its challenge for any. */
const NOBODY = "pairpty-doctor";
const KNOCK_MS = 6_000;
const USUAL_CURE = "Is the address right, and is the relay running?";

export async function checkLink(facts: Facts): Promise<Finding> {
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
  const problem = await knock(relay, facts);
  if (problem !== undefined) return fail(problem.reason, problem.hint ?? USUAL_CURE);
  return ok(`${relay.origin} answers in ${Math.round(performance.now() - began)} ms`);
}

async function knock(relay: RelayAddress, facts: Facts): Promise<DialProblem | undefined> {
  const { ca } = facts.configuration.merged.values;
  try {
    const route = await routeTo(
      relay,
      facts.environment,
      ca,
      createLog("silent", () => {}),
    );
    const way = wayOf(relay, route);
    const socket = new WebSocket(linkUrl(relay, NOBODY), {
      ...way.options,
      perMessageDeflate: false,
      handshakeTimeout: KNOCK_MS,
    });
    const problem = await new Promise<DialProblem | undefined>((resolve) => {
      socket.once("message", () => resolve(undefined));
      socket.once("close", (code, reason) =>
        resolve({ reason: reason.toString() || `closed with ${code}`, hopeless: false }),
      );
      socket.on("error", (error) => resolve(dialError(error, way.dialled())));
      socket.once("unexpected-response", (_request, response) => {
        const { proxy, answer = 0, host } = way.dialled();
        const byProxy = proxy !== undefined && answer !== PROXY_CONNECTED;
        const reason = `the relay answered ${response.statusCode}`;
        resolve(byProxy ? proxyRefusal(answer, proxy, host) : { reason, hopeless: false });
      });
    });
    socket.terminate();
    way.leave();
    return problem;
  } catch (error) {
    const hint = error instanceof UserError ? error.hint : undefined;
    return { reason: messageOf(error), hopeless: true, ...(hint === undefined ? {} : { hint }) };
  }
}
