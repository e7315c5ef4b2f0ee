// Answers `pairpty status` within about a second, even if parts of the system are down. Builds the
// addresses and links of a workspace on a relay, for people and programs.

import { peerPath, workspacePath } from "../../../protocol/workspace.ts";
import { VERSION } from "../../build-info.ts";
import type { Caller } from "../../callers/caller.ts";
import type {
  StatusPersonRow,
  Status,
  WorkspaceAddresses,
  Ready,
} from "../../doors/control/control-requests.ts";
import { isReadableByRelay } from "../../grants/before-sealing.ts";
import type { Grant, GrantTable } from "../../grants/grant-table.ts";
import type { RelayAddress } from "../../link/relay-address.ts";
import { linkUrl, socketUrl } from "../../link/relay-address.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import type { Latencies } from "../../run/latencies.ts";
import type { PresentPeer } from "../../run/present-peers.ts";
import type { UnsavedChange } from "../../workspace/durable-file.ts";
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
  const all = grants
    .list()
    .filter(({ replacedBy, retired }) => replacedBy === undefined && retired !== true);
  const unsaved = listUnsaved(run);
  const countOwner = (owner: string) => terminals.filter((one) => one.owner === owner).length;
  const countRole = (role: string) => all.filter((grant) => grant.role === role).length;
  return {
    workspace: ready.workspace,
    folder,
    relay: ready.relay,
    embedded: run.isEmbedded,
    e2e: ready.e2e === true,
    ...(ready.e2e === true ? { readable: countReadable(all) } : {}),
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

/** Counts the links and tokens of a sealed room whose traffic the relay can read. */
function countReadable(grants: readonly Grant[]): NonNullable<Status["readable"]> {
  const readable = grants.filter(isReadableByRelay);
  const agents = readable.filter(({ role }) => role === "agent").length;
  return { people: readable.length - agents, agents };
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
    sealed: grant?.psk !== undefined,
    label: grant?.label ?? "",
    role: grant?.role ?? null,
    roundTripMs: roundMs(roundTrip),
    relayMs: roundMs(personToRelay),
  };
}

function roundMs(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : Math.round(milliseconds * 10) / 10;
}

/** Tokens and links of the first screen. */
export interface BannerTokens {
  readonly tokens: Ready["tokens"];
  /** The texts behind the `#`; in a plain room, the tokens. */
  readonly links: { readonly edit: string; readonly view: string };
  /** Link of the host's own page. */
  readonly own: string;
  /** Whether guests wait for admission. */
  readonly knock: boolean;
  readonly e2e: boolean;
}

/** Returns the facts of a run; with a tunnel, its addresses and those of this machine. */
export function toReady(
  { address, publicAddress, tunnel }: Pick<BridgeRun, "address" | "publicAddress" | "tunnel">,
  workspace: string,
  { tokens, links: fragments, own, knock, e2e }: BannerTokens,
): Ready {
  const { relay, links, endpoints } = toAddresses(publicAddress, workspace, fragments);
  const ready: Ready = {
    event: "ready",
    workspace,
    relay,
    links,
    tokens,
    endpoints,
    own: formatPageLink(address, workspace, own),
    e2e,
    ...(knock ? { knock } : {}),
  };
  if (tunnel === undefined) return ready;
  const { name, operator } = tunnel;
  return { ...ready, tunnel: name, operator, local: toAddresses(address, workspace, fragments) };
}

function toAddresses(
  address: RelayAddress,
  workspace: string,
  fragments: BannerTokens["links"],
): WorkspaceAddresses {
  const { origin } = address;
  return {
    relay: origin,
    links: {
      edit: formatPageLink(address, workspace, fragments.edit),
      view: formatPageLink(address, workspace, fragments.view),
    },
    endpoints: {
      peer: socketUrl(address, peerPath(workspace)),
      bridge: linkUrl(address, workspace),
      mcp: `${origin}${workspacePath(workspace, "/mcp")}`,
      acp: socketUrl(address, workspacePath(workspace, "/acp")),
      health: `${origin}${workspacePath(workspace, "/health")}`,
    },
  };
}

/** Returns the page's link. Browsers do not send the fragment: a token, or a sealed link's secret. */
export function formatPageLink(address: RelayAddress, workspace: string, link: string): string {
  return `${address.origin}${workspacePath(workspace)}#${link}`;
}
