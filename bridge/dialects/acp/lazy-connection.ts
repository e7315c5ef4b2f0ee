// Owns loading ACP's SDK with the first coding agent. Until then, the bridge's requests wait in
// order, and the agent's messages wait in its stream.

import type { AgentPort } from "../../conversations/agent-ports.ts";
import type { ConnectDeps } from "./agent-connection.ts";

export function connectLazily(
  deps: ConnectDeps,
  load = async () => (await import("./agent-connection.ts")).connectAgent,
): AgentPort {
  const connecting = load().then((connectAgent) => connectAgent(deps));
  const whenConnected = (act: (port: AgentPort) => void) =>
    // Requests that wait for an answer report a failed load.
    void connecting.then(act).catch(() => {});
  return {
    initialize: async () => await (await connecting).initialize(),
    openSession: async (cwd, servers) => await (await connecting).openSession(cwd, servers),
    loadSession: async (session, cwd, servers) =>
      await (await connecting).loadSession(session, cwd, servers),
    prompt: async (session, text) => await (await connecting).prompt(session, text),
    cancel: (session) => whenConnected((port) => port.cancel(session)),
    setMode: async (session, mode) => await (await connecting).setMode(session, mode),
    closeSession: async (session) => await (await connecting).closeSession(session),
    close: () => whenConnected((port) => port.close()),
    closed: connecting.then(
      ({ closed }) => closed,
      () => {},
    ),
  };
}
