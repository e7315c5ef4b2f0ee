// Owns what a relay of one's own needs of the machine before it starts: its folder, which no other
// relay uses, and its port.

import { accessSync, constants, mkdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { ExitCode, messageOf, systemCode, UserError } from "../errors.ts";
import { isRunning } from "../processes.ts";
import { stateRoot } from "../workspace/folders.ts";
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

/** With its parents. Node's own way of doing that never ends where none can be made, as in /proc. */
function makeFolder(path: string): void {
  const make = () => mkdirSync(path, { mode: 0o700 });
  try {
    make();
  } catch (error) {
    if (systemCode(error) === "EEXIST" && statSync(path).isDirectory()) return;
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    make();
  }
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

/** workerd would say it too, in its own words and after everything else. */
export async function assertPort(host: string, port: number): Promise<void> {
  const problem = await new Promise<Error | undefined>((done) => {
    const server = createServer();
    server.once("error", done);
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
  if (problem === undefined) return;
  switch (systemCode(problem)) {
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
        `${host} is no address of this machine: ${messageOf(problem)}`,
        ExitCode.usage,
        "Give --host an address that it has, or 0.0.0.0 for all of them.",
      );
  }
}
