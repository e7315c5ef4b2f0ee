// Formats `pairpty status`. Pure: clock and width come in.

import type { PersonRow, Status } from "../../doors/control/requests.ts";
import { calledBy } from "../../../protocol/names.ts";
import { formatDuration } from "../../../protocol/times.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import { typedHere } from "../output/command-name.ts";
import { table } from "../output/table.ts";

const MOST_IDS = 3;

export function statusText(status: Status, now: number, width?: number): string {
  const { latency, terminalsBy, grantsBy } = status;
  const rows = [
    ["workspace", status.workspace],
    ["folder", status.folder],
    ["relay", `${status.relay}${status.embedded ? " (embedded, on this machine)" : ""}`],
    ...(status.tunnel === undefined
      ? []
      : [["tunnel", `${status.tunnel.program}, ${status.tunnel.up ? "up" : "down, retrying"}`]]),
    ["link", linkText(status, now)],
    [
      "latency",
      `bridge ⇄ relay ${ms(latency.relayMs)}, bridge ⇄ pty host ${ms(latency.ptyHostMs)}`,
    ],
    [
      "terminals",
      counted(status.terminals, { yours: terminalsBy.user, "agents'": terminalsBy.agent }),
    ],
    ["access", counted(status.grants, { ...grantsBy })],
    ...(status.approvals === 0
      ? []
      : [["approvals", `${status.approvals} open: \`${typedHere("approvals")}\``]]),
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
  const facts = table(undefined, rows, width);
  return status.people.length === 0
    ? facts
    : `${facts}\n\n${peopleText(status.people, now, width)}`;
}

function linkText({ link, linkSince, problem, retryAt }: Status, now: number): string {
  const since = `${link} for ${formatDuration(now - linkSince)}`;
  if (link === "up") return since;
  const next =
    typeof retryAt === "number"
      ? `next attempt in ${formatDuration(retryAt - now)}`
      : "connecting now";
  return `${since}: ${problem ?? "reason unknown"}; ${next}`;
}

function peopleText(people: readonly PersonRow[], now: number, width?: number): string {
  return table(
    ["WHO", "ROLE", "SINCE", "RELAY ⇄", "ATTACHED TO"],
    people.map(({ name, label, role, joinedAt, relayMs, attached }) => [
      calledBy(name, label === "" ? `${role ?? "revoked"} link` : label),
      role ?? "revoked",
      `${formatDuration(now - joinedAt)} ago`,
      ms(relayMs),
      attachedText(attached),
    ]),
    width,
  );
}

/** Returns a few ids, or the number of many; `--json` has all ids. */
function attachedText(ids: readonly string[]): string {
  return ids.length > MOST_IDS ? `${ids.length} terminals` : ids.join(" ");
}

function counted(all: number, parts: Record<string, number>): string {
  const some = Object.entries(parts).filter(([, count]) => count > 0);
  if (some.length === 0) return String(all);
  return `${all} (${some.map(([name, count]) => `${count} ${name}`).join(", ")})`;
}

function ms(milliseconds: number | null): string {
  if (milliseconds === null) return "unknown";
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}
