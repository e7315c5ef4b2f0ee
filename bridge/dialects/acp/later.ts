// Owns loading ACP's SDK with the first coding agent. Until then, the bridge's requests wait in
// order, and the agent's messages wait in its stream.

import type { AgentPort } from "../../conversations/ports.ts";
import type { ConnectWish } from "./connect.ts";

export function connectLater(
  wish: ConnectWish,
  load = async () => (await import("./connect.ts")).connectAgent,
): AgentPort {
  const connecting = load().then((connectAgent) => connectAgent(wish));
  const soon = (act: (port: AgentPort) => void) =>
    // Requests that wait for an answer report a failed load.
    void connecting.then(act).catch(() => {});
  return {
    initialize: async () => await (await connecting).initialize(),
    begin: async (cwd, servers) => await (await connecting).begin(cwd, servers),
    load: async (session, cwd, servers) => await (await connecting).load(session, cwd, servers),
    prompt: async (session, text) => await (await connecting).prompt(session, text),
    cancel: (session) => soon((port) => port.cancel(session)),
    setMode: async (session, mode) => await (await connecting).setMode(session, mode),
    end: async (session) => await (await connecting).end(session),
    close: () => soon((port) => port.close()),
    closed: connecting.then(
      ({ closed }) => closed,
      () => {},
    ),
  };
}
