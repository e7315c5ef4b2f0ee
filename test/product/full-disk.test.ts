// A start on a full disk, after a crash that left terminals waiting.

import { expect, test } from "vitest";
import { mountSmallDisk } from "../support/full-disk.ts";
import { OwnRelay } from "../support/own-relay.ts";
import { Place } from "../support/product.ts";

/** Room for what pairpty compiles and logs, and little more. */
const DISK_MIB = 32;

test("E18 a start that changes nothing gets the waiting terminals back on a full disk", async ({
  skip,
}) => {
  const disk = mountSmallDisk(DISK_MIB);
  if (disk === undefined) return skip();
  await using place = new Place({ XDG_STATE_HOME: disk.folder });
  // Its rooms are on another disk: a relay must write when a bridge comes back.
  const relay = await OwnRelay.start(place);
  try {
    const product = await place.start("--relay", relay.ready.relay, "--e2e", "off");
    const { id } = await product.open({ command: ["/bin/cat"] });
    await product.kill();
    disk.fill();
    const next = await place.start("--relay", relay.ready.relay, "--e2e", "off");
    expect(await (await next.http("/pty")).json()).toMatchObject([{ id }]);
  } finally {
    disk.empty();
    await relay.stop();
  }
});
