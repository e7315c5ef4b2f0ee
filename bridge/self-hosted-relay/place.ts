// Owns what a relay of one's own needs of the machine before it starts: its folder, which no other
// relay uses, and its port.

import { accessSync, constants, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { ExitCode, messageOf, systemCode, UserError } from "../errors.ts";
import { isRunning } from "../processes/record.ts";
import { stateRoot } from "../workspace/folders.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import { endRecorded, readRecord } from "../workerd/record.ts";

export interface DataFolder {
  readonly folder: string;
  /** The rooms' storage. */
  readonly rooms: string;
  /** Of the processes that use it. */
  readonly record: string;
  /** Made anew at every start. */
  readonly temporary: string;
}

/** Where it is unless somebody says so. */
export function usualData(): string {
  return join(stateRoot(), "relay");
}

/** Makes the folder, and ends a workerd that a killed relay left in it. */
export async function openData(path: string): Promise<DataFolder> {
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
    await endRecorded(data.record);
    // Hashes and keys: for this user alone, whoever may read the folder around it.
    makeFolder(data.rooms);
    rmSync(data.temporary, { recursive: true, force: true });
    mkdirSync(data.temporary, { mode: 0o700 });
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `the relay's data folder ${folder} cannot be used: ${messageOf(error)}`,
      ExitCode.usage,
      "Give --data a folder that this user may write to.",
    );
  }
  return data;
}

/** Two relays on one storage would each believe to be the only one. */
async function assertUnused({ folder, record }: DataFolder): Promise<void> {
  const [relay] = readRecord(record);
  if (relay === undefined || relay.pid === process.pid || !isRunning(relay)) return;
  throw new UserError(
    `another relay (process ${relay.pid}) uses the data folder ${folder}`,
    ExitCode.unavailable,
    "Stop it, or give this one another --data.",
  );
}

/** The port, or for 0 a free one. workerd would say it too, in its own words and after all else. */
export async function findPort(host: string, port: number): Promise<number> {
  const found = await new Promise<Error | number>((done) => {
    const server = createServer();
    server.once("error", done);
    server.listen(port, host, () => {
      const address = server.address();
      const got = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => done(got));
    });
  });
  if (typeof found === "number") return found;
  switch (systemCode(found)) {
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
        "Choose one above 1023, and let a reverse proxy have the low one.",
      );
    default:
      throw new UserError(
        `${host} is not an address of this machine: ${messageOf(found)}`,
        ExitCode.usage,
        "Give --host an address that it has, or 0.0.0.0 for all of them.",
      );
  }
}
