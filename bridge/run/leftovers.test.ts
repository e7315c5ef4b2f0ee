import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endRecordedRelay } from "../embedded-relay/start-relay.ts";
import { endHost } from "../terminals/start-host.ts";

test("E8 sockets and files of a pty host and a relay that were killed are removed with them", async () => {
  const root = mkdtempSync(join(tmpdir(), "pairpty-left-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folders = { folder: root, state: join(root, "state"), runtime: join(root, "run") };
  mkdirSync(join(folders.runtime, "tmp"), { recursive: true });
  mkdirSync(folders.state);
  const files = ["host.sock", "relay.sock", "tmp/link.sock", "bridge.sock"];
  for (const file of files) writeFileSync(join(folders.runtime, file), "");
  const { pid } = spawnSync("true");
  const record = { processes: [{ pid, started: "1" }] };
  writeFileSync(join(folders.state, "relay.json"), JSON.stringify(record));

  await endRecordedRelay(folders);
  const asked: string[] = [];
  await endHost({
    path: join(folders.runtime, "host.sock"),
    welcome: { version: 1, instance: "0".repeat(32), pid, state: null },
    shutdown: () => asked.push("shutdown"),
  });
  expect(asked).toEqual(["shutdown"]);
  expect(readdirSync(folders.runtime)).toEqual(["bridge.sock"]);
  expect(readdirSync(folders.state)).toEqual([]);
});
