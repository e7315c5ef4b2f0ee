// A local agent's connection, both ends of it, which the test's end closes.

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import { expect, onTestFinished } from "vitest";

/** An agent's end of a connection, and the bridge's. */
export async function pair(): Promise<{ agent: Socket; socket: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") return expect.unreachable("no port");
  const agent = connect(address.port, "127.0.0.1");
  const [socket]: Socket[] = await once(server, "connection");
  if (socket === undefined) return expect.unreachable("nobody came");
  onTestFinished(() => {
    agent.destroy();
    socket.destroy();
    server.close();
  });
  return { agent, socket };
}
