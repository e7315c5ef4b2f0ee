// Reports whether the environment routes the relay through a proxy. Never shows a password.

import { messageOf, UserError } from "../../errors.ts";
import { proxyFor, showProxy } from "../../link/route.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

/** Stands in for any relay when none is configured. */
const SOMEWHERE = { origin: "https://relay.example.com", loopback: false, secure: true };

export async function checkProxy({ relay, environment }: Facts): Promise<Finding> {
  if (typeof relay === "string") return ok("unknown until the relay's address is right");
  try {
    const proxy = await proxyFor(relay ?? SOMEWHERE, environment);
    const whose = relay === undefined ? "for a relay elsewhere" : `to ${relay.origin}`;
    return ok(proxy === undefined ? `none ${whose}` : `${showProxy(proxy)} ${whose}`);
  } catch (error) {
    const hint = error instanceof UserError ? error.hint : undefined;
    return fail(messageOf(error), hint ?? "Correct it.");
  }
}
