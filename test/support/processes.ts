// Owns processes seen from outside: which belong to a test, whether they live, what they wrote, their end.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { listChildren } from "../../bridge/processes/process-record.ts";
import { until } from "./waiting.ts";

/** The state of a listening socket in /proc/net/tcp. */
const LISTENING = "0A";

/** A zombie is dead: who reaps orphans, and when, is not the host's matter. */
export function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export async function ended(pid: number): Promise<void> {
  await until(`process ${pid} has ended`, () => !alive(pid));
}

/** Waits until a process has written so much, which needs no word from the host. */
export async function wrote(pid: number, bytes: number): Promise<void> {
  const written = (): number =>
    Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
  await until(`process ${pid} wrote ${bytes} bytes`, () => written() >= bytes);
}

/** The TCP ports on which a process takes connections, from /proc. */
export function listeningPorts(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`)
      .map((fd) => readLink(`/proc/${pid}/fd/${fd}`))
      .map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]),
  );
  return ["tcp", "tcp6"]
    .flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTENING && sockets.has(fields[9]))
    .map((fields) => Number.parseInt(fields[1]?.split(":")[1] ?? "", 16));
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed since it was listed.
    return "";
  }
}

/** Pids of this user's processes that were started for a test's place. */
export function listProcesses(root: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && mentions(pid, root));
}

export function readCommand(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  } catch {
    return [];
  }
}

function mentions(pid: number, root: string): boolean {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`, "latin1");
    return environ.includes(`HOME=${root}\0`) || readCommand(pid).join(" ").includes(root);
  } catch {
    return false;
  }
}

/** With everything below it. */
export function endTree(pid: number): void {
  for (const one of [...listChildren(pid), pid]) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // Gone already.
    }
  }
}
