import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { endRecordedRelay } from "../embedded-relay/embedded-relay.ts";
import { formatProcessTag, PROCESS_TAG_ENV } from "../sweep.ts";
import type { ProgramResult } from "../processes/run-program.ts";
import { isRunning, recordProcess } from "../processes/process-record.ts";
import { toSandboxFolders } from "../isolation/sandbox-locations.ts";
import { NO_ISOLATION } from "../isolation/isolation-settings.ts";
import { IsolationService } from "../isolation/isolation-service.ts";
import { recordHost, endHost } from "../terminals/start-host.ts";
import { endLeftovers, isAnythingLeft } from "./leftovers.ts";

test("E15 sockets and files of a pty host and a relay that were killed are removed with them", async () => {
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

test("E15 what left a terminal's group and dropped its mark ends with the pty host", async () => {
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

test("TU48 stop leaves no process, container, placeholder or socket of a bridge and pty host that were killed", async () => {
  const root = mkdtempSync(join(tmpdir(), "pairpty-left-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const state = join(root, "all", "workspaces", "0123456789abcdef");
  const folders = { folder: join(root, "work"), state, runtime: join(root, "run") };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const place = {
    ...toSandboxFolders(folders),
    roots: [folders.folder],
    ownFolders: [],
    shell: "/bin/sh",
    envAllowlist: new Set<string>(),
  };
  const removed: string[] = [];
  /** A podman that has one container. */
  const run = async (_: string, args: readonly string[]): Promise<ProgramResult> => {
    await Promise.resolve();
    if (args.includes("rm")) removed.push(args.at(-1) ?? "");
    const out = args.includes("info") ? "5.0.0 v2 true true" : "";
    return { is: "ended", code: 0, firstLine: out, lines: ["pairpty-left"], errorLine: "" };
  };
  const environment = { PATH: join(root, "bin") };
  mkdirSync(environment.PATH);
  writeFileSync(join(environment.PATH, "podman"), "", { mode: 0o755 });
  const ports = { run, environment, findGroups: () => undefined };
  const isolationService = () => new IsolationService(place, NO_ISOLATION, ports);
  expect(await isAnythingLeft(folders, isolationService())).toBe(false);
  isolationService().hold({ isolation: "container", container: "pairpty-left" });
  expect(readdirSync(folders.folder)).toContain(".envrc");
  for (const name of ["host.sock", "mcp.sock", "bridge.sock"]) {
    writeFileSync(join(folders.runtime, name), "");
  }
  const instance = "a".repeat(32);
  recordHost(state, { instance, pid: process.pid }, {});
  const { pid } = spawnSync("true");
  writeFileSync(
    join(state, "pty-hosts.json"),
    JSON.stringify({ version: 1, hosts: [{ instance, pid, started: "1" }] }),
  );
  const env = { ...process.env, [PROCESS_TAG_ENV]: formatProcessTag(instance, "pty-1") };
  const left = spawn("sleep", ["600"], { env, stdio: "ignore" });
  const gone = once(left, "exit");

  const found = isolationService();
  expect(await isAnythingLeft(folders, found)).toBe(true);
  expect(await endLeftovers(folders, found)).toBe(0);
  expect(await gone).toEqual([null, "SIGKILL"]);
  expect(removed).toEqual(["pairpty-left"]);
  expect(readdirSync(folders.folder)).toEqual([]);
  expect(readdirSync(folders.runtime)).toEqual(["bridge.sock"]);
  expect(existsSync(join(state, "isolation", "containers"))).toBe(false);
  expect(await isAnythingLeft(folders, isolationService())).toBe(false);
});
