// Owns the rows of a room that people only watch: what its look at the bridge costs in an hour. The
// room is the product's own, with a shorter interval; a bridge that pings and five viewers are there.

import { setTimeout as delay } from "node:timers/promises";
import { FrameType } from "../../protocol/frame-types.ts";
import { CHECK_EVERY_MS } from "../../relay/room/bridge-liveness.ts";
import { newWorkspace } from "../../test/support/credentials.ts";
import { TestRelay } from "../../test/support/relay.ts";
import { TestBridge } from "../../test/support/test-bridge.ts";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost } from "../figures.ts";
import { toIdleHour } from "../idle-hour.ts";

const VIEWERS = 5;
const ALARMS = 2;
/** Longer than workerd keeps an idle room in memory, which is 10 s. */
const SHORT_LOOK_MS = 14_000;
const PING_MS = 4_000;

export async function watchedRows(bench: Bench): Promise<Row[]> {
  const relay = await bench.own(TestRelay.start(), (one) => one.stop());
  const workspace = `look-${SHORT_LOOK_MS}-${newWorkspace()}`;
  const bridge = await TestBridge.up(relay, workspace);
  const { token } = await bridge.grant("view");
  for (let viewer = 0; viewer < VIEWERS; viewer++) await bridge.rawPeer(token);
  const pings = setInterval(() => bridge.socket.raw.send("ping"), PING_MS);
  // A look at it would wake it.
  await delay(ALARMS * SHORT_LOOK_MS + SHORT_LOOK_MS / 2);
  clearInterval(pings);
  const { alarms, awakeMs } = await relay.probe(workspace);
  const asked = bridge.frames.items.filter(({ type }) => type === FrameType.nudge).length;
  await relay.stop();
  const hour = toIdleHour({ alarms, awakeMs, asked }, CHECK_EVERY_MS);
  const note = `told from ${alarms.length} alarms of a room that looks every ${SHORT_LOOK_MS / 1_000} s`;
  const row = (
    id: string,
    what: string,
    unit: string,
    value: number | undefined,
    most: number,
  ) => ({
    id: `watched-${id}`,
    what: `idle room, ${VIEWERS} viewers: ${what}`,
    unit,
    figures: value === undefined ? {} : { product: { value } },
    target: atMost(most, value, `≤ ${most}`),
    note,
  });
  return [
    row("alarms", "alarms", "alarms/hour", hour?.alarms, 60),
    row("awake", "awake", "s/hour", hour?.awakeSeconds, 5),
  ];
}
