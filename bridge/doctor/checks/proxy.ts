// Reports whether the environment routes the relay through a proxy. Never shows a password.

import { errorMessage, UserError } from "../../errors.ts";
import { findProxy, formatProxy } from "../../link/dial-route.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

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
