import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectLocal } from "../../local/local-socket.ts";
import { ControlServer } from "./control-server.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-lock-"));
  path = join(folder, "bridge.sock");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The state after a kill: the files remain, and no process listens. */
function killed(close: () => void): void {
  renameSync(folder, `${folder}.away`);
  close();
  renameSync(`${folder}.away`, folder);
}

async function contend(delays: readonly number[]): Promise<ControlServer[]> {
  const all = await Promise.all(
    delays.map(async (turns) => {
      for (let waited = 0; waited < turns; waited++) await turn();
      return await ControlServer.bind(path);
    }),
  );
  return all.filter((one) => one !== undefined);
}

async function expectAnswer(): Promise<void> {
  const socket = await connectLocal(path);
  socket.destroy();
}

test("C54 C55 of many that start at once one wins, whatever was left, and no loser takes its place away", async () => {
  const rounds = fc.array(
    fc.record({
      delays: fc.array(fc.nat(6), { minLength: 2, maxLength: 6 }),
      end: fc.constantFrom("stops", "killed"),
    }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(rounds, async (plan) => {
      for (const { delays, end } of plan) {
        const [winner, ...others] = await contend(delays);
        for (const other of others) other.close();
        expect(others).toEqual([]);
        await expectAnswer();
        if (end === "stops") winner?.close();
        else killed(() => winner?.close());
        expect(existsSync(path)).toBe(end === "killed");
      }
      const last = await ControlServer.bind(path);
      expect(last).toBeDefined();
      last?.close();
      expect(readdirSync(folder)).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test("C54 a bridge that holds the path itself, as those of before, keeps it; dead, it does not", async () => {
  const old = createServer();
  await new Promise<void>((resolve) => {
    old.listen(path, resolve);
  });
  expect(await ControlServer.bind(path)).toBeUndefined();
  await expectAnswer();
  expect(readdirSync(folder)).toEqual(["bridge.sock"]);
  killed(() => old.close());
  const next = await ControlServer.bind(path);
  expect(next).toBeDefined();
  await expectAnswer();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  next?.close();
});

test("C55 a holder whose folder was removed takes nothing from the next one", async () => {
  const first = await ControlServer.bind(path);
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  const second = await ControlServer.bind(path);
  expect(second).toBeDefined();
  first?.close();
  await expectAnswer();
  second?.close();
});
