// What a room that wakes knows of its channels, with and without the isolate's memory.

import { expect, test } from "vitest";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parsePayload } from "../../protocol/json.ts";
import { ChannelState } from "../../protocol/link.ts";
import { Channels } from "../../relay/room/channels.ts";
import { storeCounts, takeCounts } from "../../relay/room/received-counts.ts";
import { Link } from "../../relay/room/link.ts";
import { Peer } from "../../relay/room/peers.ts";
import { NOTHING_SENT } from "../../relay/room/read-proof.ts";
import { fakeSocket } from "./world.ts";

test("R21 a ticket serves once, and an unknown one finds nothing", () => {
  const ticket = storeCounts(new Map([[1, { received: 7 }]]));
  expect(takeCounts(ticket).get(1)).toEqual({ received: 7 });
  expect(takeCounts(ticket).size).toBe(0);
  expect(takeCounts("of another isolate").size).toBe(0);
  expect(takeCounts(undefined).size).toBe(0);
});

test.each([
  { received: 9, skipped: false },
  { received: null, skipped: true },
])(
  "R60 woken with $received received, the bridge is told so; where it is unknown, peers must join anew",
  ({ received, skipped }) => {
    const sent: Uint8Array[] = [];
    const socket = fakeSocket((message) => {
      if (typeof message !== "string") sent.push(message);
    });
    const state = {
      kind: "peer",
      number: 3,
      grant: "grant",
      joinedAt: 0,
      raw: true,
      acks: false,
      proof: NOTHING_SENT,
      heard: true,
      subscriptions: [],
    } as const;
    const peer = new Peer(
      fakeSocket(() => {}),
      state,
      () => {},
    );
    const channels = new Channels();
    channels.restore({ entry: [1, "raw", false], received });
    channels.restoreSubscription(peer, [1, 4, "live", 2, 2]);
    channels.sendStates(new Link(socket, { instance: "0".repeat(32), epoch: 2 }));
    const states = sent
      .flatMap((message) => decodeFrames(message).frames)
      .filter(({ type }) => type === FrameType.channelState)
      .map(({ payload }) => parsePayload(ChannelState, payload));
    expect(states).toEqual([{ ok: true, value: { key: "raw", received } }]);
    expect(peer.describe().subscriptions).toEqual([{ channel: 1, attach: 4, skipped }]);
  },
);
