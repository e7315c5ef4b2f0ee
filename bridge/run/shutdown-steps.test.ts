// The steps of a shutdown, some of which fail.

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { settleAll, runSequentially } from "./shutdown-steps.ts";

test("T16 a step of the end that fails, at once or later, keeps none of the others from being taken", async () => {
  const taken: string[] = [];
  const lines: string[] = [];
  const log = createLog("error", (line) => void lines.push(line));
  const ended = runSequentially(log, {
    "leaving the room": () => {
      throw new Error("no room");
    },
    "ending the processes": async () => {
      const relay = nextTurn().then(() => void taken.push("relay"));
      await settleAll(Promise.reject(new Error("no host")), undefined, relay);
    },
    "forgetting them": () => void taken.push("forgotten"),
  });
  await expect(ended).rejects.toThrow("not everything ended");
  expect(taken).toEqual(["relay", "forgotten"]);
  expect(lines.map((line) => /leaving the room|ending the processes/.exec(line)?.[0])).toEqual([
    "leaving the room",
    "ending the processes",
  ]);
});

test("T16 an end without a fault is told of no one", async () => {
  const lines: string[] = [];
  const log = createLog("error", (line) => void lines.push(line));
  await runSequentially(log, {
    one: () => {},
    other: () => settleAll(Promise.resolve(), undefined),
  });
  expect(lines).toEqual([]);
});
