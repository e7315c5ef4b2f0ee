// Records between a host and a page whose relay drops, repeats, reorders and changes them.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openRecordText } from "../../bridge/sealed/host-handshake.ts";
import { HostSession } from "../../bridge/sealed/host-session.ts";
import { MAX_RECORD_TEXT } from "../../protocol/sealed/messages.ts";
import { MAX_RECORDS, RecordCounter, RecordKind } from "../../protocol/sealed/record.ts";
import { MAX_PEER_MESSAGE } from "../../protocol/limits.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { flipBit, sealedPair } from "../../test/support/sealed-pair.ts";
import { PageSession } from "./page-session.ts";

const KEYS = {
  toHost: new Uint8Array(32).fill(1),
  toPage: new Uint8Array(32).fill(2),
  exporter: new Uint8Array(32).fill(3),
  handshakeHash: new Uint8Array(32),
};
const TEXTS = Array.from({ length: 6 }, (_none, index) => `message ${index}`);

/** A relay's order: indexes of records, of which any may be missing, repeated or moved. */
const anyOrder = fc.array(fc.nat(TEXTS.length - 1), { maxLength: 10 });

/** Returns how many of an order are the records from 0 on, one by one. */
function countInOrder(order: readonly number[]): number {
  const first = order.findIndex((record, index) => record !== index);
  return first === -1 ? order.length : first;
}

async function openPage(toHost = KEYS.toHost, toPage = KEYS.toPage) {
  const received: string[] = [];
  const faults: Error[] = [];
  const sent: string[] = [];
  const session = await PageSession.open(
    { ...KEYS, toHost, toPage },
    {
      send: (text) => void sent.push(text),
      receive: (_kind, data) => void received.push(toText(data)),
      onFault: (error) => void faults.push(error as Error),
    },
  );
  return { session, received, faults, sent };
}

function sealAll(): Uint8Array<ArrayBuffer>[] {
  const host = new HostSession(KEYS);
  return TEXTS.map((text) => host.seal(RecordKind.text, toBytes(text)));
}

test("SE8 the page delivers records up to the first that is missing, repeated or moved, and then ends", async () => {
  const records = sealAll();
  await fc.assert(
    fc.asyncProperty(anyOrder, async (order) => {
      const { session, received, faults } = await openPage();
      for (const index of order) session.receive(RecordKind.text, records[index] ?? expect.fail());
      await session.incoming.settled();
      const good = countInOrder(order);
      expect(received).toEqual(TEXTS.slice(0, good));
      expect(faults).toHaveLength(good < order.length ? 1 : 0);
      expect(session.send("late")).toBe(good === order.length);
    }),
  );
});

test("SE8 the host opens records up to the first that is missing, repeated or moved, and then ends", async () => {
  const page = await sealedPair();
  for (const text of TEXTS) page.page.session.send(text);
  await page.page.whenSent(TEXTS.length + 1);
  const records = page.page.sent;
  fc.assert(
    fc.property(anyOrder, (order) => {
      const host = new HostSession(page.page.keys);
      const opened: string[] = [];
      const openOne = (index: number) =>
        opened.push(toText(openRecordText(host, records[index] ?? expect.fail())));
      const good = countInOrder(order);
      for (const index of order.slice(0, good)) openOne(index);
      expect(opened).toHaveLength(good);
      for (const index of order.slice(good))
        expect(() => openOne(index)).toThrow(/came instead|has ended/);
    }),
  );
});

test("SE9 a record with a changed bit or cut short ends the session on either side", async () => {
  const [toPage = expect.fail()] = sealAll();
  const { sent } = await openPage();
  await expect.poll(() => sent.length).toBe(1);
  const toHost = new Uint8Array(Buffer.from(sent[0]?.slice(1) ?? "", "base64"));
  const spoil = (record: Uint8Array<ArrayBuffer>, bit: number, isCut: boolean) => {
    const at = bit % (record.length * 8);
    return isCut ? record.slice(0, at >> 3) : flipBit(record.slice(), at);
  };
  expect(toText(new HostSession(KEYS).open(toHost))).toContain("confirm");
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000), fc.boolean(), async (bit, isCut) => {
      const { session, received, faults } = await openPage();
      session.receive(RecordKind.text, spoil(toPage, bit, isCut));
      await session.incoming.settled();
      expect([received, faults.length]).toEqual([[], 1]);
      const host = new HostSession(KEYS);
      const fault = /authentic|malformed|came instead/;
      expect(() => host.open(spoil(toHost, bit, isCut))).toThrow(fault);
      expect(() => host.seal(RecordKind.text, toBytes("x"))).toThrow("has ended");
    }),
    { numRuns: 60 },
  );
});

test("SE9 a record that comes back to its sender does not open, even under the same key", async () => {
  const same = { ...KEYS, toHost: KEYS.toPage };
  const host = new HostSession(same);
  const own = host.seal(RecordKind.text, toBytes("reflected"));
  expect(() => host.open(own)).toThrow("not authentic");
  const { session, sent, faults } = await openPage(KEYS.toPage);
  session.send("reflected");
  await expect.poll(() => sent.length).toBe(2);
  session.receive(RecordKind.text, new Uint8Array(Buffer.from(sent[0]?.slice(1) ?? "", "base64")));
  await session.incoming.settled();
  expect(faults.map(({ message }) => message)).toEqual(["The sealed data is not authentic"]);
});

test("SE9 a record does not open as another kind than it was sealed as", async () => {
  const record = new HostSession(KEYS).seal(RecordKind.output, toBytes("bytes"));
  const { session, received, faults } = await openPage();
  session.receive(RecordKind.text, record);
  await session.incoming.settled();
  expect([received, faults.length]).toEqual([[], 1]);
});

test("SE10 a page sends in the order of its calls, however long each message is", async () => {
  const { page, host } = await sealedPair();
  const texts = Array.from({ length: 40 }, (_none, index) => "x".repeat((40 - index) * 997));
  for (const text of texts) page.session.send(text);
  await page.whenSent(texts.length + 1);
  expect(page.sent.slice(1).map((text) => toText(openRecordText(host, text)))).toEqual(texts);
});

test("SE10 a page delivers in order of arrival, clear messages among records", async () => {
  const host = new HostSession(KEYS);
  const { session, received } = await openPage();
  session.incoming.addReady(() => void received.push("clear, at once"));
  expect(received).toEqual(["clear, at once"]);
  session.receive(RecordKind.text, host.seal(RecordKind.text, toBytes("x".repeat(60_000))));
  session.incoming.addReady(() => void received.push("clear"));
  session.receive(RecordKind.text, host.seal(RecordKind.text, toBytes("short")));
  expect(received).toHaveLength(1);
  await session.incoming.settled();
  expect(received.map((text) => text.slice(0, 5))).toEqual(["clear", "xxxxx", "clear", "short"]);
});

test("SE10 a session that has ended delivers and sends nothing that was under way", async () => {
  const host = new HostSession(KEYS);
  const { session, received, sent, faults } = await openPage();
  session.receive(RecordKind.text, host.seal(RecordKind.text, toBytes("late")));
  session.send("late");
  session.end();
  await session.incoming.settled();
  expect([received, sent, faults, session.send("later")]).toEqual([[], [], [], false]);
});

test("SE8 the longest message of a page fits the room's limit, and a longer one is not sent", async () => {
  const { page, host } = await sealedPair();
  const longest = "x".repeat(MAX_RECORD_TEXT);
  expect(page.session.send(`${longest}y`)).toBe(false);
  expect(page.session.send(longest)).toBe(true);
  await page.whenSent(2);
  expect(page.sent[1]?.length).toBeLessThanOrEqual(MAX_PEER_MESSAGE);
  expect(openRecordText(host, page.sent[1] ?? "")).toHaveLength(MAX_RECORD_TEXT);
});

test("SE11 a key seals no record after its last", () => {
  const counter = new RecordCounter();
  for (let count = 0; count < MAX_RECORDS; count++) counter.take();
  expect(() => counter.take()).toThrow("last record");
});
