import { expect, test } from "vitest";
import type { AgentCalls, AgentPort } from "../../conversations/ports.ts";
import type { ConnectWish } from "./connect.ts";
import { connectLater } from "./later.ts";

const never = (): never => {
  throw new Error("nothing is asked here");
};
const calls: AgentCalls = {
  update: never,
  permission: never,
  readFile: never,
  writeFile: never,
  createTerminal: never,
  output: never,
  exited: never,
  kill: never,
  release: never,
};
const wish: ConnectWish = {
  wire: {
    stream: { readable: new ReadableStream(), writable: new WritableStream() },
    drained: () => Promise.resolve(),
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
    begin: async (cwd) => (say(`begin ${cwd}`), begun),
    load: async (session) => (say(`load ${session}`), begun),
    prompt: async (_session, text) => (say(`prompt ${text}`), "end_turn"),
    cancel: (session) => say(`cancel ${session}`),
    setMode: async (_session, mode) => say(`mode ${mode}`),
    end: async (session) => say(`end ${session}`),
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
  const later = connectLater(wish, () => loading);
  const answers = [later.initialize(), later.begin("/x", []), later.prompt("s", "hello")];
  later.cancel("s");
  const rest = [later.load("t", "/x", []), later.setMode("s", "plan"), later.end("s")];
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
  const later = connectLater(wish, () => Promise.reject(new Error("not there")));
  later.cancel("s");
  await later.closed;
  await expect(later.initialize()).rejects.toThrow("not there");
});
