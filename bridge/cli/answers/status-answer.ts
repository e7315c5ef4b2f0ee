// Answers `pairpty status` within about a second, even if parts of the system are down.

import type { Caller } from "../../callers/caller.ts";
import type { StatusPersonRow, Status } from "../../doors/control/control-requests.ts";
import type { PresentPeer } from "../../run/present-peers.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import type { Latencies } from "../../run/latencies.ts";
import type { GrantTable } from "../../grants/grant-table.ts";
import type { UnsavedChange } from "../../workspace/durable-file.ts";
import { VERSION } from "../../build-info.ts";
import type { RunningBridge } from "./control-answers.ts";

/** Enough for three round trips around the world; the user is waiting. */
const MEASURE_MS = 1_200;

export async function answerStatus(
  caller: Caller,
  { run, ready, folder }: RunningBridge,
): Promise<Status> {
  const { grants, room } = run;
  const latencies = await run.measure(MEASURE_MS);
  const { people } = run;
  const link = run.link.condition;
  const terminals = room.people.list(caller);
  // Counted as in `grants`: links from before a restart do not count separately.
  const all = grants.list().filter(({ replacedBy }) => replacedBy === undefined);
  const unsaved = listUnsaved(run);
  const countOwner = (owner: string) => terminals.filter((one) => one.owner === owner).length;
  const countRole = (role: string) => all.filter((grant) => grant.role === role).length;
  return {
    workspace: ready.workspace,
    folder,
    relay: ready.relay,
    embedded: run.isEmbedded,
    ...toTunnelStatus(run),
    link: link.up ? "up" : "down",
    linkSince: link.since,
    ...(link.up ? {} : { problem: link.problem, retryAt: link.retryAt ?? null }),
    latency: { relayMs: roundMs(latencies.relay), ptyHostMs: roundMs(latencies.ptyHost) },
    people: people.map((person) => toPersonRow(person, grants, latencies)),
    terminals: terminals.length,
    terminalsBy: { user: countOwner("user"), agent: countOwner("agent") },
    grants: all.length,
    grantsBy: { view: countRole("view"), edit: countRole("edit"), agent: countRole("agent") },
    approvals: run.room.approvals.listOpen().length,
    ...(unsaved.length === 0 ? {} : { unsaved }),
    pid: process.pid,
    startedAt: run.startedAt,
    version: VERSION,
    node: process.versions.node,
  };
}

/** Returns access changes that are in force and not on disk yet. */
export function listUnsaved(run: BridgeRun): UnsavedChange[] {
  return run.durable.flatMap(({ unsaved }) => unsaved ?? []);
}

function toTunnelStatus({ tunnel }: BridgeRun): Pick<Status, "tunnel"> {
  if (tunnel === undefined) return {};
  const { name: program, isUp: up, address } = tunnel;
  return { tunnel: { program, up, address: address?.origin ?? "" } };
}

function toPersonRow(
  person: PresentPeer,
  grants: GrantTable,
  latencies: Latencies,
): StatusPersonRow {
  const grant = grants.lookUp(person.grant);
  const roundTrip = latencies.people.get(person.peer);
  const { relay } = latencies;
  // Measured at different moments, so the difference may be negative.
  const personToRelay =
    roundTrip === undefined || relay === undefined ? undefined : Math.max(0, roundTrip - relay);
  return {
    ...person,
    label: grant?.label ?? "",
    role: grant?.role ?? null,
    roundTripMs: roundMs(roundTrip),
    relayMs: roundMs(personToRelay),
  };
}

function roundMs(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : Math.round(milliseconds * 10) / 10;
}
