// What one subscription gets, as a model: random output, acks of every kind, rejoins and sleeps.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KiB, PEER_DRAINED, PEER_HARD_CAP } from "../../protocol/limits.ts";
import type { DeliveryProgress } from "../../relay/room/delivery.ts";
import {
  ACK_STEP,
  acknowledge,
  tryDrain,
  startAt,
  decideDelivery,
  restoreProgress,
} from "../../relay/room/delivery.ts";

test("R19 whatever comes in whatever order, a peer gets no byte twice", () => {
  const piece = fc.record({ offset: fc.nat(50), span: fc.nat(10) });
  fc.assert(
    fc.property(fc.nat(50), fc.array(piece), (from, pieces) => {
      const standing = startAt(from);
      for (const { offset, span } of pieces) {
        const { state, sent } = standing;
        if (decideDelivery(standing, Infinity, offset, offset + span) !== "send") continue;
        expect(state).toBe("live");
        expect(offset).toBeGreaterThanOrEqual(sent);
        expect(standing.sent).toBe(offset + span);
      }
    }),
  );
});

test("R20 R74 the cap is exact, and holds only for those who ack", () => {
  expect(decideDelivery(startAt(10), PEER_HARD_CAP, 10, 10 + PEER_HARD_CAP)).toBe("send");
  expect(decideDelivery(startAt(10), PEER_HARD_CAP, 10, 11 + PEER_HARD_CAP)).toBe("skip");
  expect(decideDelivery(startAt(10), Infinity, 10, 11 + PEER_HARD_CAP)).toBe("send");
});

test("R68 no one acks more than it was sent", () => {
  const standing = startAt(10);
  acknowledge(standing, Number.MAX_SAFE_INTEGER);
  expect(standing.acked).toBe(10);
  acknowledge(standing, 3);
  expect(standing.acked).toBe(10);
  decideDelivery(standing, PEER_HARD_CAP, 10, 20);
  acknowledge(standing, 15);
  expect(standing.acked).toBe(15);
});

const event = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      is: fc.constant("output"),
      size: fc.noBias(fc.nat(128 * KiB)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("ack"),
      // Late, twice, nothing new, and lies.
      how: fc.constantFrom("all", "half", "again", "old", "lie"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("sleep"), known: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("rejoin") }) },
);

/** `expect` costs too much to be asked at every step of a model. */
function sure(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

test("R29 R32 the model: nothing lost or doubled, bounded, drained once for each skip", () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(event, { maxLength: 300, size: "max" }),
      (honest, events) => {
        let at = 1000;
        let standing = startAt(at);
        let written: DeliveryProgress = { ...standing };
        /** What the peer really got and has said. */
        let peer = { next: at, ackedTo: at, lied: false };
        let [skips, drains] = [0, 0];
        const write = () => {
          standing.written = standing.acked;
          written = { ...standing };
        };
        const frames = () => {
          drains++;
          write();
          sure(peer.lied || peer.ackedTo >= peer.next - PEER_DRAINED, "told too soon");
        };
        for (const one of events) {
          if (one.is === "output" && "size" in one) {
            const decision = decideDelivery(standing, PEER_HARD_CAP, at, at + one.size);
            if (decision === "send") {
              // In order and whole, for as long as it is not skipped.
              sure(skips === 0 && peer.next === at, "a hole, or sent though skipped");
              peer.next = at + one.size;
            }
            if (decision === "skip") {
              skips++;
              // Else it would wait for acks that never come.
              sure(peer.ackedTo < peer.next, "skipped though it has all");
              if (tryDrain(standing)) frames();
              else write();
            }
            at += one.size;
          }
          if (one.is === "ack" && "how" in one && (!honest || one.how !== "lie")) {
            const { next, ackedTo } = peer;
            const offset = {
              all: next,
              half: Math.floor((ackedTo + next) / 2),
              again: ackedTo,
              old: Math.max(0, ackedTo - 5000),
              lie: next + 1_000_000,
            }[one.how];
            peer.lied ||= one.how === "lie";
            peer.ackedTo = Math.max(ackedTo, Math.min(offset, next));
            if (acknowledge(standing, offset)) frames();
            else if (standing.acked - standing.written >= ACK_STEP) write();
          }
          if (one.is === "sleep" && "known" in one) {
            const { state, sent, acked } = written;
            standing = restoreProgress(state, sent, acked, one.known ? at : null);
            // What is known is not learnt from the next output.
            sure(!one.known || state !== "live" || standing.sent === peer.next, "not where it is");
          }
          if (one.is === "rejoin") {
            standing = startAt(at);
            peer = { next: at, ackedTo: at, lied: false };
            [skips, drains] = [0, 0];
            write();
          }
          const { state, sent, acked, woken } = standing;
          const unacked = peer.next - peer.ackedTo;
          sure(peer.lied || unacked <= PEER_HARD_CAP + ACK_STEP, "too much under way");
          sure(drains <= skips && skips <= 1, "drained without a skip, or skipped twice");
          sure(state === ["live", "skipped", "drained"][skips + drains], `it is ${state}`);
          sure(state !== "skipped" || sent === peer.next, "the skip is somewhere else");
          sure(woken || acked <= peer.next, "acked more than was sent");
          sure(peer.lied || acked <= peer.ackedTo, "acked more than was said");
        }
        // Whoever renders all is drained, or was never skipped.
        peer.ackedTo = peer.next;
        if (acknowledge(standing, peer.next)) frames();
        sure(drains === skips, "skipped for good");
      },
    ),
    { numRuns: 60 },
  );
});

test("R32 without a sleep the cap is exact, whatever is acked", () => {
  const step = fc.record({ size: fc.nat(128 * KiB), ack: fc.nat(4 * PEER_HARD_CAP) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const standing = startAt(0);
      let [at, got, ackedTo] = [0, 0, 0];
      for (const { size, ack } of steps) {
        if (decideDelivery(standing, PEER_HARD_CAP, at, at + size) === "send") got = at + size;
        at += size;
        sure(got - ackedTo <= PEER_HARD_CAP, "too much under way");
        acknowledge(standing, ack);
        ackedTo = Math.max(ackedTo, Math.min(ack, got));
      }
    }),
  );
});
