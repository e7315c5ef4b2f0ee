import { expect, test } from "vitest";
import type { AgentRequestHandler, AgentPort } from "../../conversations/agent-ports.ts";
import type { ConnectDeps } from "./agent-connection.ts";
import { connectLazily } from "./lazy-connection.ts";

const never = (): never => {
  throw new Error("nothing is asked here");
};
const calls: AgentRequestHandler = {
  update: never,
  requestPermission: never,
  readFile: never,
  writeFile: never,
  createTerminal: never,
  getOutput: never,
  waitForExit: never,
  kill: never,
  release: never,
};
const request: ConnectDeps = {
  wire: {
    stream: { readable: new ReadableStream(), writable: new WritableStream() },
    waitForDrain: () => Promise.resolve(),
  },
  calls,
  hasTerminals: true,
  hasFiles: true,
  log: { error: () => {} },
};

function agent() {
  const asked: string[] = [];
  const say = (what: string) => void asked.push(what);
  const begun = { session: "s", modes: undefined };
  const port: AgentPort = {
    initialize: async () => {
      say("initialize");
      const nothing = { name: undefined, version: undefined, logins: [] };
      return { ...nothing, canLoad: false, canClose: false, takesHttp: false };
    },
    openSession: async (cwd) => (say(`begin ${cwd}`), begun),
    loadSession: async (session) => (say(`load ${session}`), begun),
    prompt: async (_session, text) => (say(`prompt ${text}`), "end_turn"),
    cancel: (session) => say(`cancel ${session}`),
    setMode: async (_session, mode) => say(`mode ${mode}`),
    closeSession: async (session) => say(`end ${session}`),
    close: () => say("close"),
    closed: Promise.resolve(),
  };
  return { port, asked };
}

test("M28 what is asked of a coding agent while ACP is loaded reaches it, in order", async () => {
  const { port, asked } = agent();
  let loaded: (connect: () => AgentPort) => void = () => {};
  const loading = new Promise<() => AgentPort>((resolve) => {
    loaded = resolve;
  });
  const later = connectLazily(request, () => loading);
  const answers = [later.initialize(), later.openSession("/x", []), later.prompt("s", "hello")];
  later.cancel("s");
  const rest = [
    later.loadSession("t", "/x", []),
    later.setMode("s", "plan"),
    later.closeSession("s"),
  ];
  later.close();
  expect(asked).toEqual([]);
  loaded(() => port);
  await Promise.all([...answers, ...rest, later.closed]);
  expect(asked).toEqual(
    ["initialize", "begin /x", "prompt hello", "cancel s", "load t", "mode plan"].concat([
      "end s",
      "close",
    ]),
  );
});

test("M15 an ACP that cannot be loaded is told to whoever waits for an answer, and closes the connection", async () => {
  const later = connectLazily(request, () => Promise.reject(new Error("not there")));
  later.cancel("s");
  await later.closed;
  await expect(later.initialize()).rejects.toThrow("not there");
});
