import { afterEach, expect, test, vi } from "vitest";
import { ACK_BYTES, ACK_MS } from "../../protocol/limits.ts";
import type { PtyRequest } from "../../protocol/pty-requests.ts";
import { encodeOutputFrame } from "../../protocol/output.ts";
import { KINDS } from "../kinds.ts";
import { Store } from "./store.ts";
import { PtyClient } from "./pty-client.ts";

const id = "pty-abcdef";
const channel = 1;
const FRAME = ACK_BYTES / 8;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns a page of that host, with a terminal whose screen renders immediately. */
function openPage(hostname: string) {
  vi.useFakeTimers();
  vi.stubGlobal("location", { hostname });
  let sent = 0;
  const requests: PtyRequest[] = [];
  const store = new Store("work", undefined, KINDS);
  const watching = new PtyClient({
    store,
    send: (request) => requests.push(request) > 0,
    sendBytes: () => (sent += 1) > 0,
  });
  watching.attach(id, {
    replay: (_bytes, rendered) => rendered(),
    write: (_bytes, rendered) => rendered(),
    layout: () => undefined,
    reportSize: () => undefined,
    end: () => undefined,
  });
  watching.handlers["pty:terminals"]({
    type: "pty:terminals",
    terminals: [],
    role: "edit",
    you: 1,
  });
  const size = { cols: 80, rows: 24 };
  const start = { epoch: 1, offset: 0, next: 0, snapshot: "" };
  watching.handlers["pty:attached"]({ type: "pty:attached", id, channel, ...size, ...start });
  vi.advanceTimersByTime(ACK_MS);
  let at = 0;
  /** Prints as much as is acked at once, in frames like a room's. */
  const print = (): void => {
    for (const end = at + ACK_BYTES; at < end; at += FRAME) {
      const frame = encodeOutputFrame(channel, at, FRAME, new Uint8Array(FRAME));
      watching.onBinary(Uint8Array.from(frame).buffer);
    }
  };
  /** Returns how many messages ack this output over `times` intervals of 50 ms. */
  const countChanges = (times: number): number => {
    sent = 0;
    for (let n = 0; n < times; n++) {
      for (let part = 0; part < 4; part++) print();
      vi.advanceTimersByTime(ACK_MS);
    }
    return sent;
  };
  return { countChanges, watching, requests, store };
}

test("W76 W75 under bulk a relay elsewhere hears of it at most 20 times a second, one on this machine at once", () => {
  for (const host of ["relay.test", "box.tail1234.ts.net", "localhost.example.com"])
    expect([host, openPage(host).countChanges(4)]).toEqual([host, 4]);
  for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "[::1]"])
    expect([host, openPage(host).countChanges(4)]).toEqual([host, 16]);
});

test("WT48 a terminal that is shown again is attached again", () => {
  const { watching, requests, store } = openPage("relay.test");
  const base = { id, owner: "user", visible: true, createdAt: 1 } as const;
  const fireEvent = (event: "created" | "closed", cwd: string) =>
    watching.handlers.terminal({ type: "terminal", event, terminal: { ...base, cwd } });
  fireEvent("created", "/home/me");
  requests.splice(0);
  fireEvent("closed", "");
  expect(store.findTerminal(id)?.ended).toBe("unseen");
  expect(requests).toEqual([]);
  fireEvent("created", "/home/me");
  expect(store.findTerminal(id)?.ended).toBeUndefined();
  expect(requests).toEqual([{ type: "pty:attach", id, epoch: 1, offset: 0 }]);
});

/** Connects the page to a bridge, for requests that are answered. */
function connect({ store }: { readonly store: Store }): void {
  store.connection.value = { state: "live" };
  store.bridge.value = { type: "bridge", state: "here" };
}

test("W133 a terminal is opened and closed over the socket, each answered by its id", async () => {
  const page = openPage("relay.test");
  connect(page);
  const { watching, requests, store } = page;
  requests.splice(0);
  const opening = [watching.spawn({ cols: 80, rows: 24 }), watching.spawn({})];
  const closing = [watching.close(id), watching.close("pty-000000")];
  const [one, two] = requests.filter(({ type }) => type === "pty:spawn");
  expect(one).toMatchObject({ type: "pty:spawn", cols: 80, rows: 24 });
  const terminal = { id, cwd: "/", owner: "user", visible: true, createdAt: 1 } as const;
  const { handlers } = watching;
  handlers["pty:error"]({ type: "pty:error", id: one?.id ?? "", code: "too_many", error: "full" });
  handlers["pty:spawned"]({ type: "pty:spawned", id: two?.id ?? "", terminal });
  handlers["pty:closed"]({ type: "pty:closed", id });
  const gone = { code: "not_found", error: "Session not found" } as const;
  handlers["pty:error"]({ type: "pty:error", id: "pty-000000", ...gone });
  expect(await Promise.all([...opening, ...closing])).toEqual([
    { ok: false, code: "too_many", error: "full" },
    { ok: true, value: terminal },
    { ok: true, value: undefined },
    { ok: false, ...gone },
  ]);
  expect(store.toasts.all.peek()).toEqual([]);
});

test("W133 a request without an answer fails when the bridge is gone, is unreachable, or after 30 s", async () => {
  const page = openPage("relay.test");
  const { watching, requests } = page;
  requests.splice(0);
  const unsent = await watching.spawn({});
  expect(unsent).toMatchObject({ ok: false, error: expect.stringContaining("Not connected") });
  expect(requests).toEqual([]);
  connect(page);
  const cut = [watching.spawn({}), watching.close(id)];
  watching.onAway();
  expect(await Promise.all(cut)).toMatchObject([{ ok: false }, { ok: false }]);
  const late = watching.spawn({});
  vi.advanceTimersByTime(30_000);
  expect(await late).toMatchObject({ ok: false, error: expect.stringContaining("not responding") });
});

test("WT86 WT87 W133 a terminal counts as closing until the answer, and a silent host is not called a lost connection", async () => {
  const page = openPage("relay.test");
  const { watching, store } = page;
  connect(page);
  const pending = [watching.spawn({}), watching.close(id)];
  expect([...store.closing.value]).toEqual([id]);
  store.bridge.value = { type: "bridge", state: "away", how: "silent" };
  watching.onAway();
  expect(await Promise.all(pending)).toEqual([
    { ok: false, error: "The host stopped responding before the terminal opened." },
    { ok: false, error: "The host stopped responding before the terminal closed." },
  ]);
  expect([...store.closing.value]).toEqual([]);
});
