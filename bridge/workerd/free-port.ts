// Finds a free port on 127.0.0.1. Another program may take it before it is used, so a caller that needs
// to be sure retries.

import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 50;

/** Returns any free port. */
export async function findFreePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === undefined) throw new Error("there is no free port on 127.0.0.1");
  return port;
}

/** Returns the port if it is free (0: any); undefined if it is in use. */
export function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const got = typeof address === "object" && address !== null ? address.port : undefined;
      server.close(() => resolve(got));
    });
  });
}

/** Returns the port once it is free; undefined if it is still in use after `milliseconds`. */
export async function awaitPort(port: number, milliseconds: number): Promise<number | undefined> {
  const until = Date.now() + milliseconds;
  for (;;) {
    const got = await tryPort(port);
    if (got !== undefined || Date.now() >= until) return got;
    await delay(POLL_MS);
  }
}
