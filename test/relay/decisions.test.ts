// The relay's pure decisions, for what is tedious to reach through sockets.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { filterForBridge, filterForClient } from "../../relay/edge/headers.ts";
import { judgeOrigin } from "../../relay/edge/origin.ts";
import { route } from "../../relay/edge/route.ts";
import { isInactive } from "../../relay/room/inactive-peers.ts";
import { decideTakeover } from "../../relay/room/takeover.ts";
import { sendableCode } from "../../relay/room/close-code.ts";

test("R1 a path leads into a room only by an id of the pattern", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("w", "parties", "workspace", "a-1", "A", "", "..")),
      (parts) => {
        const way = route(`/${parts.join("/")}`);
        if ("workspace" in way) expect(way.workspace).toMatch(/^(a-1|workspace|parties)$/);
      },
    ),
  );
  expect(route("/w/a-1/acp")).toEqual({ to: "acp", workspace: "a-1" });
  expect(route("/w/a-1/acp/x")).toEqual({ to: "tunnel", workspace: "a-1", path: "/acp/x" });
  expect(route("/w/a-1//x")).toEqual({ to: "tunnel", workspace: "a-1", path: "//x" });
});

test("W29 the address of a question is the page's; what is below or beside it goes to the bridge", () => {
  expect(route("/w/a-1/approve/ap-1")).toEqual({ to: "page" });
  expect(route("/w/A/approve/ap-1")).toEqual({ to: "nowhere" });
  for (const path of ["/approve", "/approve/", "/approve/a/b", `/approve/${"x".repeat(33)}`])
    expect(route(`/w/a-1${path}`), path).toEqual({ to: "tunnel", workspace: "a-1", path });
});

test("R2 headers of the platform and of the hop pass neither way", () => {
  const names = ["Cf-Ray", "MF-Op", "x-partykit-props", "cookie", "te", "x-ok"];
  const headers = new Headers(names.map((name) => [name, "v"] as [string, string]));
  expect(filterForBridge(headers)).toEqual([["x-ok", "v"]]);
  expect(
    filterForClient([
      ["Set-Cookie", "a"],
      ["Connection", "close"],
      ["x-ok", "v"],
    ]),
  ).toEqual([["x-ok", "v"]]);
});

test("R37 only who has said nothing for a minute, not even ping, makes way", () => {
  const peer = { hasSpoken: false, joinedAt: 1_000 };
  expect(isInactive(peer, undefined, 60_999)).toBe(false);
  expect(isInactive(peer, undefined, 61_000)).toBe(true);
  expect(isInactive(peer, 2_000, 61_000)).toBe(false);
  expect(isInactive(peer, 2_000, 62_000)).toBe(true);
  expect(isInactive({ ...peer, hasSpoken: true }, undefined, 1e9)).toBe(false);
});

test("R7 port 80 is not written in a Host", () => {
  const rules = { loopbackPort: "80", allowed: [] };
  expect(judgeOrigin(rules, "localhost", "http://localhost").ok).toBe(true);
  expect(judgeOrigin(rules, "localhost:81", null).ok).toBe(false);
  expect(judgeOrigin(rules, null, null).ok).toBe(false);
});

test("R11 R50 only its own newer epoch replaces a link at once", () => {
  const current = { instance: "a", epoch: 5 };
  expect(decideTakeover(undefined, current)).toBe("accept");
  expect(decideTakeover(current, { instance: "a", epoch: 6 })).toBe("replace");
  expect(decideTakeover(current, { instance: "a", epoch: 5 })).toBe("ask");
  expect(decideTakeover(current, { instance: "b", epoch: 6 })).toBe("ask");
});

test("R12 codes that were never on the wire are not sent back", () => {
  expect([1004, 1005, 1006, 1015, 0, 5000].map(sendableCode)).toEqual(Array(6).fill(1000));
  expect([1000, 1011, 4401].map(sendableCode)).toEqual([1000, 1011, 4401]);
});
