// Checks the pty host and a real spawn: starts a private host and a shell that prints a word, then ends
// both.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorMessage } from "../../errors.ts";
import { builtFile } from "../../build-info.ts";
import { launch, waitForAnswer } from "../../processes/launch.ts";
import { HostClient } from "../../terminals/host-client.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

const START_MS = 5_000;
/**
 * Ends the host if this process is killed. Long enough for a busy machine to connect, so that a slow
 * start does not count as broken.
 */
const GRACE_MS = 15_000;
const EXPECTED_OUTPUT = "pairpty-says-hello";
const MAX_OUTPUT_BYTES = 4_096;

export interface PtyFindings {
  readonly host: Finding;
  readonly spawn: Finding;
}

export async function checkPty(signal: AbortSignal): Promise<PtyFindings> {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-doctor-"));
  const socket = join(folder, "host.sock");
  const log = join(folder, "log");
  const args = ["--socket", socket, "--grace-ms", String(GRACE_MS), "--log", log];
  const began = performance.now();
  const child = launch(builtFile("pty-host.js"), args, log);
  const end = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    const client = await waitForAnswer(() => HostClient.connect(socket), child, log, START_MS);
    const host = ok(`starts and answers in ${Math.round(performance.now() - began)} ms`);
    const spawn = await trySpawn(client).catch((error: unknown) =>
      fail(`a shell did not run in a PTY: ${errorMessage(error)}`, getPtyCure()),
    );
    client.close();
    return { host, spawn };
  } catch (error) {
    const host = fail(
      `does not start: ${errorMessage(error)}`,
      "Reinstall pairpty with this Node on this system; node-pty's addon must match both.",
    );
    return { host, spawn: fail("not tried without a pty host", "See pty host.") };
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

async function trySpawn(client: HostClient): Promise<Finding> {
  const began = performance.now();
  const ended = new Promise<void>((resolve, reject) => {
    client.listen({
      onOutput: () => {},
      onGap: () => {},
      onActivity: () => {},
      onQuery: () => {},
      onTitle: () => {},
      onExited: () => resolve(),
      onClosed: (reason) => reject(new Error(reason)),
      onFault: (_, error) => reject(error),
    });
  });
  // `spawn` rejects as well; this avoids an unhandled rejection.
  ended.catch(() => {});
  const handle = await client.spawn(
    {
      id: "pty-doctor",
      file: "/bin/sh",
      args: ["-c", `test -t 0 && echo ${EXPECTED_OUTPUT}`],
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", TERM: "xterm-256color" },
      cols: 80,
      rows: 24,
      meta: {},
    },
    (terminal) => terminal.handle,
    // The terminal ends with the host, and the host with this check.
    () => {},
  );
  await ended;
  const text = await client.fetch(handle, 0, MAX_OUTPUT_BYTES, ({ bytes }) =>
    bytes.toString("utf8"),
  );
  if (text.includes(EXPECTED_OUTPUT))
    return ok(`a shell ran in ${Math.round(performance.now() - began)} ms`);
  return fail(`a shell ran, but its output was ${JSON.stringify(text)}`, getPtyCure());
}

function getPtyCure(): string {
  return "Is /dev/pts mounted and writable (mount | grep devpts), and are PTYs left (kernel.pty.max)?";
}
