// Replaying in the page, with the test's own clock and screen.

import { expect, test } from "vitest";
import type { Cast } from "../../protocol/asciicast.ts";
import { Player } from "./player.ts";

const CAST: Cast = {
  cols: 80,
  rows: 24,
  title: "",
  timestamp: undefined,
  idleLimit: undefined,
  events: [
    { at: 0, code: "o", data: "a" },
    { at: 1, code: "o", data: "b" },
    { at: 2, code: "r", data: "90x30" },
    { at: 2, code: "m", data: "Ada is typing" },
    { at: 3, code: "o", data: "c" },
  ],
  duration: 3,
};

function world() {
  let now = 0;
  let shown = "";
  const player = new Player(
    CAST,
    {
      reset: (cols, rows) => (shown = `${cols}x${rows}:`),
      resize: (cols, rows) => (shown += `[${cols}x${rows}]`),
      write: async (data) => void (shown += data),
    },
    () => now,
  );
  const pass = (milliseconds: number) => {
    now += milliseconds;
    player.tick();
  };
  return { player, pass, shown: () => shown };
}

test("RE10 it plays in time, pauses, and has an end from which it begins again", async () => {
  const { player, pass, shown } = world();
  player.toggle();
  pass(0);
  expect(shown()).toBe("80x24:a");
  pass(999);
  expect(shown()).toBe("80x24:a");
  pass(1);
  expect(shown()).toBe("80x24:ab");
  player.toggle();
  pass(60_000);
  expect([shown(), player.position.peek()]).toEqual(["80x24:ab", 1]);
  player.speed.value = 4;
  player.toggle();
  pass(500);
  expect(shown()).toBe("80x24:ab[90x30]c");
  expect(player.isPlaying.peek()).toBe(false);
  player.toggle();
  await Promise.resolve();
  expect([shown(), player.position.peek()]).toEqual(["80x24:a", 0]);
});

test("RE10 going elsewhere shows what was there then, sizes too; a step is one output", async () => {
  const { player, shown } = world();
  await player.seek(2.5);
  expect([shown(), player.position.peek()]).toEqual(["80x24:ab[90x30]", 2.5]);
  await player.seek(1.5);
  expect(shown()).toBe("80x24:ab");
  const [marker] = player.markers;
  await player.seek(marker?.at ?? 0);
  expect(shown()).toBe("80x24:ab[90x30]");
  player.step();
  expect([shown(), player.position.peek()]).toEqual(["80x24:ab[90x30]c", 3]);
  await player.seek(-5);
  expect(shown()).toBe("80x24:a");
  // Two seeks at once: the last one counts.
  await Promise.all([player.seek(3), player.seek(0)]);
  expect([shown(), player.position.peek()]).toEqual(["80x24:a", 0]);
});
