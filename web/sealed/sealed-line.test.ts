// A page's line in a sealed room against the host's side, without a browser: what arrives in which
// order, what is forged, lost or late.

import { afterEach, expect, test, vi } from "vitest";
import { ChannelSealer } from "../../bridge/sealed/channel-sealer.ts";
import { answerHello, openConfirm, openRecordText } from "../../bridge/sealed/host-handshake.ts";
import type { HostSession } from "../../bridge/sealed/host-session.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { encodeOutputFrame } from "../../protocol/output.ts";
import {
  encodeAgainFrame,
  encodeReadyFrame,
  encodeRecordFrame,
  MAX_RECORD_TEXT,
} from "../../protocol/sealed/messages.ts";
import { RecordKind } from "../../protocol/sealed/record.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { ORIGIN, READY, sealedHost, WORKSPACE } from "../../test/support/sealed-pair.ts";
import { SealedLine } from "./sealed-line.ts";

afterEach(() => vi.useRealTimers());

function openLine() {
  const host = sealedHost();
  const sent: string[] = [];
  const events: string[] = [];
  const state = { isCut: false, isHostHere: true };
  let wake = (): void => undefined;
  const note = (event: string): void => {
    events.push(event);
    wake();
  };
  const line: SealedLine = new SealedLine({
    link: host.link,
    workspace: WORKSPACE,
    origin: ORIGIN,
    hello: () => ({ v: 1, device: "d" }),
    send: (text) => {
      if (state.isCut) return false;
      sent.push(text);
      wake();
      return true;
    },
    isHostHere: () => state.isHostHere,
    onRoomMessage: (text) => note(`room ${text}`),
    onRoomFrame: () => note("frame"),
    onMessage: (text) => {
      if (text.startsWith("key ")) line.setKey(1, JSON.parse(text.slice(4)));
      note(text);
    },
    onOutput: (channel, { offset, body }) => note(`${channel}:${offset} ${toText(body)}`),
    onGap: (channel) => note(`gap ${channel}`),
    onHandshake: () => note("handshake"),
    onDigits: (digits) => note(`digits ${digits}`),
    onLost: () => note("lost"),
    onFault: (isVersion) => note(isVersion ? "version" : "fault"),
  });
  const until = async (is: () => boolean): Promise<void> => {
    while (!is()) {
      // oxlint-disable-next-line no-await-in-loop
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const give = (bytes: Bytes): void => line.receive(bytes.slice().buffer);
  const hellos = (): string[] => sent.filter((text) => text.startsWith("E"));
  /** Answers the last hello. */
  const answer = async (): Promise<HostSession> => {
    const { ready, session } = answerHello(host.deps, hellos().at(-1) ?? "", READY);
    const before = sent.length;
    give(ready);
    await until(() => sent.length > before && events.at(-1)?.startsWith("digits") === true);
    openConfirm(session, sent[before] ?? "");
    return session;
  };
  const shake = async (): Promise<HostSession> => {
    line.onOpen();
    await until(() => hellos().length > 0);
    return await answer();
  };
  const say = (session: HostSession, text: string): void =>
    give(encodeRecordFrame(RecordKind.text, session.seal(RecordKind.text, toBytes(text))));
  return { line, host, sent, events, state, until, give, hellos, answer, shake, say };
}

test("SE43 the page sends nothing before the handshake, and records after it", async () => {
  const { line, sent, events, shake } = openLine();
  expect(line.send("early")).toBe(false);
  const session = await shake();
  expect(events).toEqual(["handshake", `digits ${session.digits()}`]);
  const before = sent.length;
  expect(line.send("one")).toBe(true);
  expect(line.send("x".repeat(MAX_RECORD_TEXT + 1))).toBe(false);
  await vi.waitFor(() => expect(sent.length).toBe(before + 1));
  expect(toText(openRecordText(session, sent.at(-1) ?? ""))).toBe("one");
  line.onClose();
  expect(line.send("late")).toBe(false);
});

test("SE42 a clear message is the room's, and waits for the records before it", async () => {
  const { line, events, until, shake, say } = openLine();
  const session = await shake();
  events.length = 0;
  say(session, "x".repeat(50_000));
  line.receive("clear");
  say(session, "after");
  await until(() => events.length === 3);
  expect(events.map((event) => event.slice(0, 10))).toEqual(["xxxxxxxxxx", "room clear", "after"]);
});

test("SE43 a record that does not open ends the session; nothing after it is delivered", async () => {
  const { line, events, until, shake, say, give } = openLine();
  const session = await shake();
  events.length = 0;
  const record = session.seal(RecordKind.text, toBytes("changed"));
  record[record.length - 1] = (record.at(-1) ?? 0) ^ 1;
  give(encodeRecordFrame(RecordKind.text, record));
  say(session, "after");
  await until(() => events.includes("fault"));
  expect(events).toEqual(["fault"]);
  expect(line.send("more")).toBe(false);
});

test("SE43 input that was accepted and not sent is reported", async () => {
  const { line, events, state, until, shake } = openLine();
  await shake();
  state.isCut = true;
  expect(line.send("key")).toBe(true);
  await until(() => events.includes("lost"));
  state.isCut = false;
  line.send("another");
  line.onClose();
  await until(() => events.filter((event) => event === "lost").length === 2);
});

test("SE43 an answer that is not the host's is ignored; one of another version ends the attempt", async () => {
  const { line, events, until, give, hellos, answer } = openLine();
  line.onOpen();
  await until(() => hellos().length > 0);
  give(encodeReadyFrame(new Uint8Array(80).fill(7)));
  await answer();
  expect(events.filter((event) => event === "fault")).toEqual([]);
  line.onOpen();
  await until(() => hellos().length === 2);
  const other = encodeReadyFrame(new Uint8Array(80));
  other[12] = 9;
  give(other);
  await until(() => events.includes("version"));
});

test("SE44 a request for a handshake while one is under way is dropped once that is answered", async () => {
  const { line, until, give, hellos, answer } = openLine();
  line.onOpen();
  await until(() => hellos().length > 0);
  vi.useFakeTimers();
  give(encodeAgainFrame());
  vi.useRealTimers();
  await answer();
  expect(hellos()).toHaveLength(1);
  expect(line.send("key")).toBe(true);
});

test("SE44 a host that does not answer in time costs the socket, unless it is away", async () => {
  const { line, events, state, until, hellos } = openLine();
  vi.useFakeTimers();
  line.onOpen();
  await until(() => hellos().length > 0);
  state.isHostHere = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(events).toEqual(["handshake"]);
  state.isHostHere = true;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(events).toEqual(["handshake", "fault"]);
});

test("SE45 SE46 output opens under its key in order with records; a new handshake drops the keys", async () => {
  const { line, events, until, give, hellos, shake, answer, say } = openLine();
  const session = await shake();
  const sealer = new ChannelSealer(1);
  events.length = 0;
  const held = sealer.sealFrame(0, 4, toBytes("held"));
  const key = `key ${JSON.stringify({ ...sealer.current(), counter: 0 })}`;
  give(held);
  say(session, key);
  give(sealer.sealFrame(4, 4, toBytes("live")));
  say(session, "then");
  give(held);
  give(encodeOutputFrame(1, 8, 5, toBytes("clear")));
  give(sealer.sealFrame(8, 3, toBytes("end")));
  await until(() => events.includes("1:8 end"));
  expect(events).toEqual([key, "1:0 held", "1:4 live", "then", "1:8 end"]);
  void sealer.sealFrame(11, 0, toBytes("{}"));
  give(sealer.sealFrame(11, 1, toBytes("x")));
  await until(() => events.includes("gap 1"));
  line.onOpen();
  await until(() => hellos().length === 2);
  await answer();
  events.length = 0;
  give(sealer.sealFrame(11, 1, toBytes("x")));
  for (let n = 0; n < 17; n++) give(sealer.sealFrame(12, 65_536, new Uint8Array(65_536)));
  await until(() => events.length > 0);
  expect(events).toEqual(["gap 1"]);
});
