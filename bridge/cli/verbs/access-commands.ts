// Owns the commands about access: share, connect, grants, revoke.

import { formatTime } from "../../../protocol/formats.ts";
import type { AgentTerms, Role } from "../../../protocol/grant.ts";
import { DEFAULT_SCOPES } from "../../../protocol/grant.ts";
import type { ControlAnswers, GrantRow } from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { getDefaultLifetimeMs, parseDuration } from "../../grants/duration.ts";
import { formatReadableTokenNote, READABLE_BY_RELAY } from "../../sealed/encryption-notes.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import type { ClientName } from "../../../protocol/connect.ts";
import {
  getConfiguration,
  getHints,
  getInstruction,
  getStdioConfiguration,
  isStdioClient,
} from "../../../protocol/connect.ts";
import { locateFolders } from "../../workspace/folders.ts";
import {
  formatConnectNote,
  formatRefusedNote,
  probeSandboxHere,
  formatLocalLinkNote,
} from "../output/link-notes.ts";
import type { AgentFlags, CodeFlag } from "../flags/parse-arguments.ts";
import { listGivenFlags, toAgentTerms, readCode } from "../flags/parse-arguments.ts";
import { findKnownFolder } from "../flags/workspace-folder.ts";
import { commandToStart } from "../output/command-name.ts";
import { printJson, printLine, printNote, printWrapped } from "../output/output.ts";
import { formatTable } from "../output/table.ts";
import type { VerbFlags } from "./bridge-request.ts";
import { askBridge, warnUnsaved } from "./bridge-request.ts";

export interface ShareFlags extends VerbFlags, AgentFlags, CodeFlag {
  readonly role: Role;
  /** Undefined: the default of the role. */
  readonly expires?: string;
  readonly label?: string;
  readonly knock?: boolean;
  readonly mayShare?: boolean;
  /** For a client without end-to-end encryption. */
  readonly plain?: boolean;
}

export type ConnectFlags = Omit<ShareFlags, "role" | "label" | "knock" | "mayShare" | "plain">;

export async function share(flags: ShareFlags): Promise<void> {
  const [agentFlag] = flags.role === "agent" ? [] : listGivenFlags(flags);
  if (agentFlag !== undefined) {
    throw new UserError(
      `${agentFlag} is for agents' tokens only`,
      ExitCode.usage,
      `Add --role agent for an agent's token, or leave ${agentFlag} out.`,
    );
  }
  assertPeopleTerms(flags);
  const shared = await makeGrant(flags, toAgentTerms(flags));
  if (flags.json === true) return printJson(shared);
  const text = shared.link ?? shared.token;
  if (text === undefined) return printWrapped(SHOWN_IN_WINDOW);
  const kind = shared.link === undefined ? "token" : "link";
  printWrapped(
    `${flags.role} ${kind} ${shared.grant.id}, until ${formatExpiry(shared.grant.expiresAt)}`,
  );
  printLine(text);
  const localNote = shared.link === undefined ? undefined : formatLocalLinkNote(shared.link);
  if (localNote !== undefined) printWrapped(localNote);
  if (shared.grant.readable === true) printWrapped(formatReadableTokenNote(flags.role));
  if (shared.refused !== undefined) printWrapped(formatRefusedNote(shared.refused));
}

function assertPeopleTerms({ role, knock, mayShare }: ShareFlags): void {
  if (role === "agent" && (knock === true || mayShare === true)) {
    const flag = knock === true ? "--knock" : "--may-share";
    throw new UserError(`${flag} is for people's links only`, ExitCode.usage, `Leave ${flag} out.`);
  }
  if (mayShare === true && role !== "edit") {
    throw new UserError(
      "--may-share needs an edit link",
      ExitCode.usage,
      "Add --role edit: only people who may type can make links.",
    );
  }
}

/** Makes a token for an agent's program, if it needs one, and prints its configuration. */
export async function connect(client: ClientName, flags: ConnectFlags): Promise<void> {
  if (isStdioClient(client)) return connectStdioClient(client, flags);
  const { endpoints, isolation: floor = "none" } = await askBridge(flags, { verb: "ready" });
  // Background commands that the policy does not know need approval.
  const terms: AgentTerms = { ...toAgentTerms(flags), spawnApproval: "unknown" };
  const shared = await makeGrant({ ...flags, role: "agent", label: client }, terms);
  const { token, grant } = shared;
  if (token === undefined)
    return flags.json === true ? printJson(shared) : printWrapped(SHOWN_IN_WINDOW);
  const nodeVersion = process.versions.node;
  const place = getInstruction(client, nodeVersion);
  const configuration = getConfiguration(client, { url: endpoints.mcp, token, nodeVersion });
  const hints = getHints(client);
  if (flags.json === true) return printJson({ ...shared, place, configuration, hints });
  printWrapped(`agent token ${grant.id}, until ${formatExpiry(grant.expiresAt)}. ${place}`);
  printLine(configuration);
  for (const hint of hints) printWrapped(hint);
  if (grant.readable === true) printWrapped(formatReadableTokenNote("agent"));
  if (shared.refused !== undefined) return printWrapped(formatRefusedNote(shared.refused));
  const sandbox = await probeSandboxHere(await findKnownFolder(flags));
  return printWrapped(formatConnectNote(flags.isolation, floor, sandbox));
}

/** Prints the configuration of a program that starts `pairpty mcp` and therefore needs no token. */
async function connectStdioClient(client: ClientName, flags: ConnectFlags): Promise<void> {
  const [flag] = listGivenFlags(flags);
  if (flag !== undefined) {
    throw new UserError(
      `${flag} is for agents with a token: ${client} starts \`pairpty mcp\` and has none`,
      ExitCode.usage,
      `Leave ${flag} out. \`pairpty --agent-isolation sandbox\` puts all agents' commands in a sandbox.`,
    );
  }
  const { folder } = locateFolders(await findKnownFolder(flags));
  const place = getInstruction(client);
  const configuration = getStdioConfiguration(
    commandToStart(["mcp", "--cwd", folder, "--name", client]),
  );
  if (flags.json === true) return printJson({ place, configuration, hints: getHints(client) });
  printWrapped(`${client} starts \`pairpty mcp\`, and needs no token. ${place}`);
  return printLine(configuration);
}

const SHOWN_IN_WINDOW =
  "This terminal is shared, so pairpty shows the new link or token in the window where you started it.";

async function makeGrant(flags: ShareFlags, terms: AgentTerms): Promise<ControlAnswers["share"]> {
  const expiresInMs =
    flags.expires === undefined ? getDefaultLifetimeMs(flags.role) : parseDuration(flags.expires);
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
    quietly: process.env[PROCESS_TAG_ENV] !== undefined,
    ...(flags.knock === true ? { knock: true } : {}),
    ...(flags.mayShare === true ? { mayShare: true } : {}),
    ...(flags.plain === true ? { plain: true } : {}),
    ...terms,
    ...(await readCode(flags)),
  });
}

export async function grants(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "grants" });
  await warnUnsaved(flags);
  if (flags.json === true) return printJson(rows);
  return printLine(formatGrants(rows));
}

/** Formats the grants; the column TERMS appears only if one has terms. */
export function formatGrants(all: readonly GrantRow[]): string {
  const rows = all.filter(({ replacedBy }) => all.every(({ id }) => id !== replacedBy));
  const terms = rows.map((row) =>
    [formatTerms(row), formatEarlier(row, all)].filter((one) => one !== "").join("; "),
  );
  const hasTerms = terms.some((each) => each !== "");
  return formatTable(
    ["ID", "ROLE", "UNTIL", "LABEL", ...(hasTerms ? ["TERMS"] : [])],
    rows.map((row, at) => [
      row.id,
      row.role,
      formatExpiry(row.expiresAt),
      row.label,
      ...(hasTerms ? [terms[at] || "default"] : []),
    ]),
  );
}

/** Returns how many links of earlier runs also work, and end with this one. */
function formatEarlier({ id }: GrantRow, all: readonly GrantRow[]): string {
  const count = (of: string): number =>
    all
      .filter(({ replacedBy }) => replacedBy === of)
      .reduce((sum, earlier) => sum + 1 + count(earlier.id), 0);
  const earlier = count(id);
  return earlier === 0 ? "" : `also ${earlier} from before a restart`;
}

/** Returns what differs from a link or token made without flags. */
function formatTerms(row: GrantRow): string {
  const terms = row.role === "agent" ? formatAgentTerms(row) : formatPeopleTerms(row);
  const mark = row.readable === true ? READABLE_BY_RELAY : "";
  return [terms, mark].filter((term) => term !== "").join("; ");
}

function formatPeopleTerms({ knock, mayShare, madeBy, remembered }: GrantRow): string {
  const terms = [
    knock === true ? "waits for admission" : undefined,
    mayShare === true ? "can share" : undefined,
    remembered === true ? "one browser only" : undefined,
    madeBy === undefined ? undefined : `made by ${madeBy}`,
  ];
  return terms.filter((term) => term !== undefined).join("; ");
}

function formatAgentTerms({
  role,
  scopes,
  tools,
  isolation,
  trustClient,
  spawnApproval,
}: GrantRow): string {
  if (role !== "agent") return "";
  const defaultScopes = [...DEFAULT_SCOPES].join(",");
  const terms = [
    scopes.join(",") === defaultScopes ? undefined : `scopes ${joinNames(scopes)}`,
    tools === undefined ? undefined : `tools ${joinNames(tools)}`,
    isolation === undefined || isolation === "none" ? undefined : `isolation ${isolation}`,
    spawnApproval === "unknown" ? "unknown commands need approval" : undefined,
    trustClient === true ? "its client can approve" : undefined,
  ];
  return terms.filter((term) => term !== undefined).join("; ");
}

function joinNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(",");
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
  return printNote(`Revoked ${id} and closed its connections.`);
}

function formatExpiry(time: number | null): string {
  return time === null ? "pairpty stops" : formatTime(time, Date.now());
}
