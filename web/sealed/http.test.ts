// Sealed bodies between a page and its host, in both directions, through a relay that cuts them.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RequestNumbers } from "../../bridge/sealed/request-numbers.ts";
import {
  decodeHttpPreface,
  HTTP_PREFACE_BYTES,
  HTTP_RECORD_BYTES,
} from "../../protocol/sealed/http-records.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import { concatBytes } from "../../protocol/sealed/bytes.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { flipBit, sealedPair } from "../../test/support/sealed-pair.ts";

const HEAD = '{"method":"POST","path":"/files"}';

/** A request of three records, as the page sends it. */
async function request(pair: Awaited<ReturnType<typeof sealedPair>>) {
  const { preface, body, response } = await pair.page.session.createRequest();
  const records = [
    await body.seal(toBytes(HEAD), false),
    await body.seal(new Uint8Array(HTTP_RECORD_BYTES).fill(120), false),
    await body.seal(toBytes("end"), true),
  ];
  return { preface, records, response };
}

/** Accepts what a page sent and returns what its records hold. */
function receive(
  { host }: Awaited<ReturnType<typeof sealedPair>>,
  preface: Uint8Array<ArrayBuffer>,
  sent: readonly Uint8Array[],
) {
  const decoded = decodeHttpPreface(preface) ?? expect.fail();
  expect(decoded.session).toEqual(host.id());
  const { body, response } = host.acceptRequest(decoded.request);
  const parts = sent.flatMap((bytes) => body.push(bytes)).map(toText);
  body.end();
  return { parts, response };
}

test("SE17 a body passes in both directions, however the relay cuts its bytes", async () => {
  const pair = await sealedPair();
  const { preface, records, response } = await request(pair);
  expect(preface).toHaveLength(HTTP_PREFACE_BYTES);
  const whole = concatBytes(...records);
  const cuts = [whole.subarray(0, 3), whole.subarray(3, 40_000), whole.subarray(40_000)];
  const got = receive(pair, preface, cuts);
  expect(got.parts).toEqual([HEAD, "x".repeat(HTTP_RECORD_BYTES), "end"]);
  const answer = concatBytes(
    got.response.seal(toBytes('{"status":200}'), false),
    got.response.seal(toBytes(""), true),
  );
  const opened = [
    ...(await response.push(answer.subarray(0, 30))),
    ...(await response.push(answer.subarray(30))),
  ];
  expect(opened.map(toText)).toEqual(['{"status":200}', ""]);
  expect(() => response.end()).not.toThrow();
});

test("SE17 a cut, reordered, repeated or extended body, or one mixed with another, does not open", async () => {
  const pair = await sealedPair();
  const spoilers: ((...records: Uint8Array<ArrayBuffer>[]) => Uint8Array[])[] = [
    () => [],
    (head) => [head ?? expect.fail()],
    (...[head, middle]) => [head ?? expect.fail(), middle ?? expect.fail()],
    (...records) => [concatBytes(...records).slice(0, -1)],
    (...[head, , last]) => [head ?? expect.fail(), last ?? expect.fail()],
    (...[head, middle, last]) => [middle, head, last].map((one) => one ?? expect.fail()),
    (...records) => [records[0] ?? expect.fail(), ...records],
    (...records) => [...records, records[2] ?? expect.fail()],
    (...records) => [...records, Uint8Array.of(0)],
    // The mark of the last record, set on an earlier one.
    (...[head, middle]) => [head ?? expect.fail(), flipBit(middle ?? expect.fail(), 7)],
    () => [Uint8Array.of(0, 255, 255, 255)],
  ];
  for (const spoil of spoilers) {
    // oxlint-disable-next-line no-await-in-loop
    const { preface, records } = await request(pair);
    expect(() => receive(pair, preface, spoil(...records))).toThrow(SealedFault);
  }
  const [one, other] = [await request(pair), await request(pair)];
  const mixed = one.records.with(1, other.records[1] ?? expect.fail());
  expect(() => receive(pair, one.preface, mixed)).toThrow("not authentic");
  expect(() => receive(pair, other.preface, one.records)).toThrow("not authentic");
});

test("SE17 a body with any changed bit does not open", async () => {
  const pair = await sealedPair();
  await fc.assert(
    fc.asyncProperty(fc.nat(HTTP_RECORD_BYTES * 8), async (bit) => {
      const { preface, records } = await request(pair);
      const whole = flipBit(concatBytes(...records), bit);
      expect(() => receive(pair, preface, [whole])).toThrow(SealedFault);
    }),
    { numRuns: 30 },
  );
});

test("SE17 a response with a changed bit or without its end does not open in the page", async () => {
  const pair = await sealedPair();
  const { preface, records, response } = await request(pair);
  const { response: sealer } = receive(pair, preface, records);
  const record = sealer.seal(toBytes("part"), false);
  await expect(response.push(flipBit(record.slice(), 60))).rejects.toThrow("not authentic");
  expect(() => response.end()).toThrow("before its last record");
  expect(() => sealer.seal(new Uint8Array(HTTP_RECORD_BYTES + 1), true)).toThrow("over");
});

test("SE18 a request is served once, and its body does not open as its response", async () => {
  const pair = await sealedPair();
  const { preface, records, response } = await request(pair);
  receive(pair, preface, records);
  expect(() => receive(pair, preface, records)).toThrow("used before");
  await expect(response.push(concatBytes(...records))).rejects.toThrow("not authentic");
});

test("SE18 each number counts once in any order, and one that is too old does not", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3_000), { maxLength: 200 }), (numbers) => {
      const requests = new RequestNumbers();
      const accepted = new Set<number>();
      let highest = -1;
      for (const number of numbers) {
        const isGood = !accepted.has(number) && number > highest - 1_024;
        if (isGood) requests.accept(number);
        else expect(() => requests.accept(number)).toThrow("used before or is too old");
        if (isGood) accepted.add(number);
        highest = isGood ? Math.max(highest, number) : highest;
      }
    }),
  );
});
