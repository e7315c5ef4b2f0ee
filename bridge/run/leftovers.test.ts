import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { endRecordedRelay } from "../embedded-relay/start-relay.ts";
import { isRunning, recordProcess } from "../processes/record.ts";
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

test("E8 what left a terminal's group and dropped its mark ends with the pty host", async () => {
  const script = "env -i setsid sh -c 'echo $$; exec sleep 600' & wait";
  const host = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(host.stdout, "data");
  const left = recordProcess(Number(`${line}`));
  await endHost({
    path: join(tmpdir(), "no such socket"),
    welcome: { version: 1, instance: "0".repeat(32), pid: host.pid ?? 0, state: null },
    shutdown: () => void host.kill("SIGKILL"),
  });
  await vi.waitFor(() => expect(isRunning(left)).toBe(false));
});
