// Prepares a self-hosted relay's data folder, which no other relay uses, and its port.

import { accessSync, constants, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { ExitCode, errorMessage, findSystemCode, UserError } from "../errors.ts";
import { isRunning } from "../processes/process-record.ts";
import { stateRoot } from "../workspace/folders.ts";
import { makeFolder } from "../workspace/private-file.ts";
import { endRecordedProcesses, readRelayRecord } from "../workerd/relay-record.ts";

export interface DataFolder {
  readonly folder: string;
  /** The rooms' storage. */
  readonly rooms: string;
  /** The file that records the processes using the folder. */
  readonly record: string;
  /** Recreated at every start. */
  readonly temporary: string;
}

/** Returns the default data folder. */
export function getDefaultDataFolder(): string {
  return join(stateRoot(), "relay");
}

/** Creates the folder, and ends a workerd that a killed relay left. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const folder = resolve(path);
  const data = {
    folder,
    rooms: join(folder, "rooms"),
    record: join(folder, "relay.json"),
    temporary: join(folder, "tmp"),
  };
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await assertUnused(data);
    await endRecordedProcesses(data.record);
    // Hashes and keys: private even if others may read the parent folder.
    makeFolder(data.rooms);
    rmSync(data.temporary, { recursive: true, force: true });
    mkdirSync(data.temporary, { mode: 0o700 });
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `the relay's data folder ${folder} cannot be used: ${errorMessage(error)}`,
      ExitCode.usage,
      "Give --data a folder that this user may write to.",
    );
  }
  return data;
}

/** Throws if a relay already uses the folder: two on one storage would corrupt each other's state. */
async function assertUnused({ folder, record }: DataFolder): Promise<void> {
  const [relay] = readRelayRecord(record);
  if (relay === undefined || relay.pid === process.pid || !isRunning(relay)) return;
  throw new UserError(
    `another relay (process ${relay.pid}) uses the data folder ${folder}`,
    ExitCode.unavailable,
    "Stop it, or give this one another --data.",
  );
}

/**
 * Returns the port, or for 0 a free one. Checked here because workerd's own error is late and cryptic.
 */
export async function reservePort(host: string, port: number): Promise<number> {
  const result = await new Promise<Error | number>((done) => {
    const server = createServer();
    server.once("error", done);
    server.listen(port, host, () => {
      const address = server.address();
      const got = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => done(got));
    });
  });
  if (typeof result === "number") return result;
  switch (findSystemCode(result)) {
    case "EADDRINUSE":
      throw new UserError(
        `port ${port} is in use by another program`,
        ExitCode.unavailable,
        "Choose another with --port.",
      );
    case "EACCES":
      throw new UserError(
        `this user may not listen on port ${port}`,
        ExitCode.unavailable,
        "Choose a port above 1023, with a reverse proxy on the low one.",
      );
    default:
      throw new UserError(
        `${host} is not an address of this machine: ${errorMessage(result)}`,
        ExitCode.usage,
        "Give --host one of its addresses, or 0.0.0.0 for all of them.",
      );
  }
}
