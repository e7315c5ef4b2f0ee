// A process on its own PTY, in this process: which other work gets a turn while it floods.

import { expect, test } from "vitest";
import { KiB, MiB } from "../../protocol/limits.ts";
import { loadNative } from "./native.ts";
import { Pty } from "./pty.ts";

/** Gives the program time to fill the kernel's buffer; nothing else happens here meanwhile. */
function beBusy(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test("H14 a terminal that floods is read 32 KiB at a time, with everyone else's turn in between", async () => {
  loadNative();
  let inTurn = 0;
  let most = 0;
  let all = 0;
  await new Promise<void>((resolve) => {
    const plan = { file: "/usr/bin/yes", args: [], env: {}, cwd: "/", cols: 80, rows: 24 };
    const pty = new Pty(
      plan,
      {
        onBytes: ({ length }) => {
          // Its end follows, which is read in one go: nothing may be lost.
          if (all > 1 * MiB) return;
          inTurn += length;
          all += length;
          most = Math.max(most, inTurn);
        },
        onExited: () => resolve(),
      },
      () => {},
    );
    const turn = () => {
      inTurn = 0;
      if (all > 1 * MiB) return pty.signal("SIGKILL");
      beBusy(2);
      setImmediate(turn);
      return undefined;
    };
    setImmediate(turn);
  });
  expect(most).toBeGreaterThan(8 * KiB);
  expect(most).toBeLessThanOrEqual(32 * KiB);
});
