// Owns what tests take over from whoever runs them: nothing that changes what the product does or
// prints. Whoever starts the product in tests imports it, so this is the one place.

import { join } from "node:path";

/** Said to the tests themselves. */
const FOR_TESTS: ReadonlySet<string> = new Set([
  "PAIRPTY_REQUIRE",
  "PAIRPTY_BENCH_PEERS",
  "PAIRPTY_TEST_WORKER",
]);

const OTHERS: ReadonlySet<string> = new Set([
  "CI",
  "COLOR",
  "FORCE_COLOR",
  "NO_COLOR",
  "RELAY_KEY",
  // What shells run before anything else.
  "BASH_ENV",
  "ENV",
  // Whom pairpty trusts; and a Node that is told the first reads every certificate at each start.
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
]);

/** Settings of the developer's own pairpty, the mark of its terminals, colours, keys. */
export function isDevelopersOwn(name: string): boolean {
  if (OTHERS.has(name)) return true;
  return name.startsWith("PAIRPTY_") && !FOR_TESTS.has(name);
}

// For npm: a registry may stand behind a proxy that signs with a CA of its own.
process.env["NPM_EXTRA_CA_CERTS"] ??= process.env["NODE_EXTRA_CA_CERTS"] ?? "";
for (const name of Object.keys(process.env).filter(isDevelopersOwn)) delete process.env[name];

/** What is started outside a place of its own leaves nothing in the developer's; compiled once for all. */
const STATE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "pairpty", "state");
export const COMPILED = join(STATE, "pairpty", "compiled");
process.env["XDG_STATE_HOME"] = STATE;
