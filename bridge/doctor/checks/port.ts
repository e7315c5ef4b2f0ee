// Checks that the embedded relay's port is free or already ours.

import { createServer } from "node:net";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { isRunning } from "../../processes/process-record.ts";
import { readRelayRecord } from "../../workerd/relay-record.ts";
import { readOptionalFile } from "../../workspace/private-file.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok, warn } from "../finding.ts";

const PortFile = z.object({ port: z.nullable(z.int()) });

export async function checkPort(facts: DoctorFacts): Promise<Finding> {
  const { folders, configuration, relay } = facts;
  if (relay !== undefined) return ok("none is needed: the relay is elsewhere");
  if (typeof folders === "string") return ok("unknown until the folders work");
  const bridge = await facts.bridge;
  if (bridge?.embedded === true) return ok(`${new URL(bridge.relay).port}, this folder's relay`);
  const configured = configuration.merged.values.port;
  if (configured === 0) return ok("any that is free");
  const port = configured ?? readLastPort(folders.state);
  if (port === undefined) return ok("none yet: the first start chooses a free one");
  if (await isFree(port)) return ok(`${port} is free`);
  // A crashed bridge leaves its relay to the next one.
  if (readRelayRecord(join(folders.state, "relay.json")).some((one) => isRunning(one))) {
    return ok(`${port}, this folder's relay, which waits for a bridge`);
  }
  const message = `${port} is in use by another program`;
  if (configured !== undefined) return fail(message, "Choose another with --port, or set none.");
  return warn(message, "End that program, or older links to this folder will not work.");
}

function readLastPort(state: string): number | undefined {
  const text = readOptionalFile(join(state, "workspace.json"));
  const kept = text === undefined ? undefined : parseText(PortFile, text);
  return kept?.ok === true ? (kept.value.port ?? undefined) : undefined;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
