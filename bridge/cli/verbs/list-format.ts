// Formats `pairpty status`. Pure: clock and width come in. Formats the columns OWNER and ACCESS of
// `pairpty ls`.

import { displayName, linkName, UNNAMED_AGENT, grantName } from "../../../protocol/names.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { formatDuration } from "../../../protocol/formats.ts";
import type { Status } from "../../doors/control/control-requests.ts";
import { formatEncryption, READABLE_BY_RELAY } from "../../sealed/encryption-notes.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import { formatCommandHere } from "../output/command-name.ts";
import { formatTable } from "../output/table.ts";

const MAX_IDS = 3;

export function formatStatus(status: Status, now: number, width?: number): string {
  const { latency, terminalsBy, grantsBy } = status;
  const rows = [
    ["workspace", status.workspace],
    ["folder", status.folder],
    ["relay", `${status.relay}${status.embedded ? " (embedded, on this machine)" : ""}`],
    ...(status.tunnel === undefined
      ? []
      : [["tunnel", `${status.tunnel.program}, ${status.tunnel.up ? "up" : "down, retrying"}`]]),
    ["link", formatLinkState(status, now)],
    ["encryption", formatEncryption(status)],
    [
      "latency",
      `bridge ⇄ relay ${formatMs(latency.relayMs)}, bridge ⇄ pty host ${formatMs(latency.ptyHostMs)}`,
    ],
    [
      "terminals",
      formatCount(status.terminals, { yours: terminalsBy.user, "agents'": terminalsBy.agent }),
    ],
    ["access", formatCount(status.grants, { ...grantsBy })],
    ...(status.approvals === 0
      ? []
      : [["approvals", `${status.approvals} open: \`${formatCommandHere("approvals")}\``]]),
    ...(status.unsaved ?? []).map((one) => [
      "not saved",
      `${one.what}, for ${formatDuration(now - one.since)}: ${formatUnsaved(one)}; pairpty keeps trying`,
    ]),
    ["people", String(status.people.length)],
    [
      "bridge",
      `pairpty ${status.version}, Node ${status.node}, pid ${status.pid}, up for ${formatDuration(now - status.startedAt)}`,
    ],
  ];
  const facts = formatTable(undefined, rows, width);
  return status.people.length === 0 ? facts : `${facts}\n\n${formatPeople(status, now, width)}`;
}

function formatLinkState({ link, linkSince, problem, retryAt }: Status, now: number): string {
  const since = `${link} for ${formatDuration(now - linkSince)}`;
  if (link === "up") return since;
  const next =
    typeof retryAt === "number"
      ? `next attempt in ${formatDuration(retryAt - now)}`
      : "connecting now";
  return `${since}: ${problem ?? "reason unknown"}; ${next}`;
}

function formatPeople(
  { people, e2e }: Pick<Status, "people" | "e2e">,
  now: number,
  width?: number,
): string {
  return formatTable(
    ["WHO", "ROLE", "SINCE", "RELAY ⇄", "ATTACHED TO"],
    people.map(({ name, label, role, joinedAt, relayMs, attached, sealed }) => [
      `${displayName({ name, label: linkName({ label, role: role ?? "revoked" }) })}${e2e && !sealed ? ` (${READABLE_BY_RELAY})` : ""}`,
      role ?? "revoked",
      `${formatDuration(now - joinedAt)} ago`,
      formatMs(relayMs),
      formatAttached(attached),
    ]),
    width,
  );
}

/** Returns a few ids, or the number of many; `--json` has all ids. */
function formatAttached(ids: readonly string[]): string {
  return ids.length > MAX_IDS ? `${ids.length} terminals` : ids.join(" ");
}

function formatCount(all: number, parts: Record<string, number>): string {
  const some = Object.entries(parts).filter(([, count]) => count > 0);
  if (some.length === 0) return String(all);
  return `${all} (${some.map(([name, count]) => `${count} ${name}`).join(", ")})`;
}

function formatMs(milliseconds: number | null): string {
  if (milliseconds === null) return "unknown";
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

/** Returns the owner; for a terminal that an agent started, also the agent. */
export function formatOwner({ owner, startedBy }: Terminal): string {
  if (startedBy === undefined) return owner;
  const agent = startedBy.startsWith(UNNAMED_AGENT) ? startedBy : `agent ${startedBy}`;
  return owner === "agent" ? agent : `user, from ${startedBy}`;
}

/**
 * Returns what differs from the default: everyone sees the terminal, and only its owner's side types.
 */
export function formatAccess(terminal: Terminal): string {
  const { private: isPrivate, agentsType = [], steppedIn, feed } = terminal;
  const agents = agentsType.map(grantName).join(", ");
  const parts = [
    isPrivate === true ? "private" : "",
    agents === "" ? "" : `${agents} can type`,
    steppedIn === undefined ? "" : `${steppedIn.label} has stepped in`,
    feed === true ? "command output" : "",
  ];
  return parts.filter((word) => word !== "").join("; ");
}

/** Compares by number, as the page sorts; terminals of an older bridge have none. */
export function compareByNumber(a: Pick<Terminal, "number">, b: Pick<Terminal, "number">): number {
  return (a.number ?? Infinity) - (b.number ?? Infinity) || 0;
}
