// Owns the verbs that talk to a running bridge: share, grants, revoke, ls, status.

import { join } from "node:path";
import type { Role, Scope } from "../../../protocol/grant.ts";
import { DEFAULT_SCOPES } from "../../../protocol/grant.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { ask } from "../../doors/control/client.ts";
import type { ControlAnswers, ControlRequest } from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { parseDuration } from "../../grants/duration.ts";
import { MARK } from "../../terminals/environment.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { foldersWith, locateFolders } from "../../workspace/folders.ts";
import type { ClientName } from "../agents/connect.ts";
import { configurationFor, placeFor } from "../agents/connect.ts";
import { currentFolder } from "../flags/options.ts";
import { printJson, printLine, say, tell, windowWidth } from "../output/output.ts";
import { statusText } from "./status-text.ts";
import { table } from "../output/table.ts";

/** The bridge measures for a second at most; one that is still starting answers nobody. */
const STATUS_TIMEOUT_MS = 4_000;
/** Somebody waits with a finger on Tab. */
const COMPLETION_TIMEOUT_MS = 1_000;

export interface VerbFlags {
  readonly cwd?: string;
  readonly json?: boolean;
}

export interface ShareFlags extends VerbFlags {
  readonly role: Role;
  /** Undefined for all of them. */
  readonly scopes?: Scope[];
  readonly expires: string;
  readonly label?: string;
}

export type ConnectFlags = Pick<ShareFlags, "cwd" | "json" | "scopes" | "expires">;

export async function share(flags: ShareFlags): Promise<void> {
  if (flags.scopes !== undefined && flags.role !== "agent") {
    throw new UserError(
      "--scopes is for agents' tokens only",
      ExitCode.usage,
      "Add --role agent for an agent's token, or leave --scopes out.",
    );
  }
  const shared = await makeGrant(flags);
  if (flags.json === true) return printJson(shared);
  if (shared.token === undefined) return tell(SHOWN_ELSEWHERE);
  const kind = flags.role === "agent" ? "token" : "link";
  tell(`${flags.role} ${kind} ${shared.grant.id}, until ${when(shared.grant.expiresAt)}`);
  return printLine(shared.link ?? shared.token);
}

/** A token for an agent's program, in the words of that program. */
export async function connect(client: ClientName, flags: ConnectFlags): Promise<void> {
  const { endpoints } = await askBridge(flags, { verb: "ready" });
  const shared = await makeGrant({ ...flags, role: "agent", label: client });
  if (flags.json === true) return printJson(shared);
  if (shared.token === undefined) return tell(SHOWN_ELSEWHERE);
  tell(
    `agent token ${shared.grant.id}, until ${when(shared.grant.expiresAt)}. ${placeFor(client)}`,
  );
  return printLine(configurationFor(client, endpoints.mcp, shared.token));
}

const SHOWN_ELSEWHERE =
  "pairpty shows the token in the window where you started it: this terminal is shared.";

async function makeGrant(flags: ShareFlags): Promise<ControlAnswers["share"]> {
  const expiresInMs = parseDuration(flags.expires);
  if (expiresInMs === undefined) {
    throw new UserError(
      `"${flags.expires}" is not a duration`,
      ExitCode.usage,
      "Write a number and a unit: 90s, 30m, 2h, 30d (at most 3650d).",
    );
  }
  return await askBridge(flags, {
    verb: "share",
    role: flags.role,
    scopes: flags.role === "agent" ? (flags.scopes ?? [...DEFAULT_SCOPES]) : [],
    label: flags.label ?? "",
    expiresInMs,
    quietly: process.env[MARK] !== undefined,
  });
}

export async function grants(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "grants" });
  if (flags.json === true) return printJson(rows);
  return printLine(
    table(
      ["ID", "ROLE", "UNTIL", "LABEL"],
      rows.map(({ id, role, expiresAt, label }) => [id, role, when(expiresAt), label]),
    ),
  );
}

export async function revoke(id: string, flags: VerbFlags): Promise<void> {
  const { revoked } = await askBridge(flags, { verb: "revoke", id });
  if (!revoked) {
    throw new UserError(
      `unknown link or token ${id}`,
      ExitCode.usage,
      "`pairpty grants` lists them.",
    );
  }
  if (flags.json === true) return printJson({ revoked: id });
  return say(`revoked ${id} and closed its connections`);
}

export async function list(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "terminals" });
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return say("no terminals are open");
  return printLine(
    table(
      ["ID", "#", "OWNER", "SIZE", "COMMAND", "FOLDER"],
      rows.map(({ id, number, owner, cols, rows: lines, command, cwd }) => [
        id,
        `${number ?? ""}`,
        owner,
        `${cols}×${lines}`,
        commandText(command),
        cwd,
      ]),
    ),
  );
}

/** For completion: what there is, one a line with its name behind a tab; nothing is no mistake. */
export async function listIds(
  what: "grants" | "terminals",
  begun: string,
  flags: VerbFlags,
): Promise<void> {
  const folders = foldersWith("runtime", flags.cwd ?? currentFolder());
  if (folders === undefined) return;
  const path = join(folders.runtime, "bridge.sock");
  const told = (lines: string[]) => lines.forEach((line) => printLine(line));
  try {
    if (what === "grants") {
      const rows = await ask(path, { verb: "grants" }, COMPLETION_TIMEOUT_MS);
      told((rows ?? []).map(({ id, role, label }) => `${id}\t${role} ${label}`.trimEnd()));
      return;
    }
    const rows = await ask(path, { verb: "terminals" }, COMPLETION_TIMEOUT_MS);
    told((rows ?? []).map((terminal) => terminalOffer(terminal, begun)));
  } catch {
    // Somebody pressed Tab: no answer is better than a sentence in the middle of their line.
  }
}

/** By its number, which is short and on everybody's screen, until somebody begins to type an id. */
function terminalOffer({ id, number, owner, command }: Terminal, begun: string): string {
  const words = `${owner} ${commandText(command)}`;
  return number === undefined || begun.startsWith("p")
    ? `${id}\t${words}`
    : `${number}\t${id} ${words}`;
}

export async function status(flags: VerbFlags): Promise<void> {
  const state = await askBridge(flags, { verb: "status" }, STATUS_TIMEOUT_MS);
  return flags.json === true
    ? printJson(state)
    : printLine(statusText(state, Date.now(), windowWidth()));
}

export async function askBridge<V extends ControlRequest["verb"]>(
  flags: VerbFlags,
  request: Extract<ControlRequest, { verb: V }>,
  timeoutMs?: number,
): Promise<ControlAnswers[V]> {
  const cwd = flags.cwd ?? currentFolder();
  const folders = foldersWith("runtime", cwd);
  const answer = folders && (await ask(join(folders.runtime, "bridge.sock"), request, timeoutMs));
  if (answer !== undefined) return answer;
  throw await noBridge(locateFolders(cwd), folders !== undefined);
}

/** A bridge that crashed has left its terminals: whoever asks wants to know. */
async function noBridge(folders: WorkspaceFolders, isKnown: boolean): Promise<UserError> {
  const what = `pairpty is not running in ${folders.folder}`;
  const { waitingTerminals } = await import("../../terminals/start-host.ts");
  const waiting = isKnown ? await waitingTerminals(folders) : [];
  if (waiting.length === 0) {
    const how = "Start it with `pairpty`, or name its folder with --cwd.";
    return new UserError(what, ExitCode.noBridge, how);
  }
  const [one, them, wait] =
    waiting.length === 1
      ? ["1 terminal", "it", "waits"]
      : [`${waiting.length} terminals`, "them", "wait"];
  return new UserError(
    `${what}, but ${one} of the last run ${wait}: ${waiting.join(", ")}`,
    ExitCode.noBridge,
    `Start \`pairpty\` in time to get ${them} back (see \`pairpty config explain grace\`).`,
  );
}

/** On one line, whatever is in it. */
function commandText(command: readonly string[] | undefined): string {
  return (command?.join(" ") ?? "shell").replaceAll(/\p{Cc}+/gu, " ");
}

function when(time: number | null): string {
  return time === null ? "pairpty stops" : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
