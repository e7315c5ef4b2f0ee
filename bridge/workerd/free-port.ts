// Owns finding a port on 127.0.0.1 that nobody listens on. Another program may take it before it is
// used; who needs to be sure tries again.

import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const LOOK_EVERY_MS = 50;

/** Some free port. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === undefined) throw new Error("there is no free port on 127.0.0.1");
  return port;
}

/** The port itself if it is free, with 0 any; undefined if somebody has it. */
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

/** The port once it is free; undefined if somebody still has it after so long. */
export async function awaitPort(port: number, milliseconds: number): Promise<number | undefined> {
  const until = Date.now() + milliseconds;
  for (;;) {
    const got = await tryPort(port);
    if (got !== undefined || Date.now() >= until) return got;
    await delay(LOOK_EVERY_MS);
  }
}
