// Answers `pairpty status`: gathered in about a second, whatever is down.

import type { Caller } from "../../callers/caller.ts";
import type { PersonRow, Status } from "../../doors/control/requests.ts";
import type { PresentPeer } from "../../run/persons.ts";
import type { BridgeRun } from "../../run/run.ts";
import type { Latencies } from "../../run/measure.ts";
import type { GrantTable } from "../../grants/table.ts";
import type { Unsaved } from "../../workspace/durable-file.ts";
import { VERSION } from "../../version.ts";
import type { Running } from "./answers.ts";

/** Enough for three round trips around the world; the user is waiting. */
const MEASURE_MS = 1_200;

export async function statusOf(caller: Caller, { run, ready, folder }: Running): Promise<Status> {
  const { grants, room } = run;
  const latencies = await run.measure(MEASURE_MS);
  const { people } = run;
  const link = run.link.condition;
  const terminals = room.people.list(caller);
  // As `grants` lists them: links from before a restart do not count separately.
  const all = grants.list().filter(({ replacedBy }) => replacedBy === undefined);
  const unsaved = unsavedNow(run);
  const ownedBy = (owner: string) => terminals.filter((one) => one.owner === owner).length;
  const ofRole = (role: string) => all.filter((grant) => grant.role === role).length;
  return {
    workspace: ready.workspace,
    folder,
    relay: ready.relay,
    embedded: run.embedded,
    ...tunnelOf(run),
    link: link.up ? "up" : "down",
    linkSince: link.since,
    ...(link.up ? {} : { problem: link.problem, retryAt: link.retryAt ?? null }),
    latency: { relayMs: rounded(latencies.relay), ptyHostMs: rounded(latencies.ptyHost) },
    people: people.map((person) => toPersonRow(person, grants, latencies)),
    terminals: terminals.length,
    terminalsBy: { user: ownedBy("user"), agent: ownedBy("agent") },
    grants: all.length,
    grantsBy: { view: ofRole("view"), edit: ofRole("edit"), agent: ofRole("agent") },
    approvals: run.room.approvals.open().length,
    ...(unsaved.length === 0 ? {} : { unsaved }),
    pid: process.pid,
    startedAt: run.startedAt,
    version: VERSION,
    node: process.versions.node,
  };
}

/** Returns access changes that are in force and not on disk yet. */
export function unsavedNow(run: BridgeRun): Unsaved[] {
  return run.durable.flatMap(({ unsaved }) => unsaved ?? []);
}

function tunnelOf({ tunnel }: BridgeRun): Pick<Status, "tunnel"> {
  if (tunnel === undefined) return {};
  const { name: program, isUp: up, address } = tunnel;
  return { tunnel: { program, up, address: address?.origin ?? "" } };
}

function toPersonRow(person: PresentPeer, grants: GrantTable, latencies: Latencies): PersonRow {
  const grant = grants.lookUp(person.grant);
  const whole = latencies.people.get(person.peer);
  const { relay } = latencies;
  // Measured at different moments, so the difference may be negative.
  const rest = whole === undefined || relay === undefined ? undefined : Math.max(0, whole - relay);
  return {
    ...person,
    label: grant?.label ?? "",
    role: grant?.role ?? null,
    roundTripMs: rounded(whole),
    relayMs: rounded(rest),
  };
}

function rounded(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : Math.round(milliseconds * 10) / 10;
}
