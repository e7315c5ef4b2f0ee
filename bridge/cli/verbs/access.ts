// Owns the commands about access: share, connect, grants, revoke.

import { formatTime } from "../../../protocol/times.ts";
import type { AgentTerms, Role } from "../../../protocol/grant.ts";
import { DEFAULT_SCOPES } from "../../../protocol/grant.ts";
import type { ControlAnswers, GrantRow } from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { parseDuration } from "../../grants/duration.ts";
import { MARK } from "../../mark.ts";
import type { ClientName } from "../../../protocol/connect.ts";
import {
  getConfiguration,
  getHints,
  getPlace,
  getStdioConfiguration,
  isStdioClient,
} from "../../../protocol/connect.ts";
import { locateFolders } from "../../workspace/folders.ts";
import { connectWords, refusedWords, sandboxHere } from "../agents/walls-words.ts";
import type { AgentFlags } from "../flags/agent-flags.ts";
import { agentFlagsGiven, termsOf } from "../flags/agent-flags.ts";
import type { CodeFlag } from "../flags/code.ts";
import { codeFrom } from "../flags/code.ts";
import { findKnownFolder } from "../flags/workspace-folder.ts";
import { commandToStart } from "../output/command-name.ts";
import { onlyHereWords } from "../output/only-here.ts";
import { printJson, printLine, say, tell } from "../output/output.ts";
import { table } from "../output/table.ts";
import type { VerbFlags } from "./ask.ts";
import { askBridge, warnUnsaved } from "./ask.ts";

export interface ShareFlags extends VerbFlags, AgentFlags, CodeFlag {
  readonly role: Role;
  readonly expires: string;
  readonly label?: string;
  readonly knock?: boolean;
  readonly mayShare?: boolean;
}

export type ConnectFlags = Omit<ShareFlags, "role" | "label" | "knock" | "mayShare">;

export async function share(flags: ShareFlags): Promise<void> {
  const [alien] = flags.role === "agent" ? [] : agentFlagsGiven(flags);
  if (alien !== undefined) {
    throw new UserError(
      `${alien} is for agents' tokens only`,
      ExitCode.usage,
      `Add --role agent for an agent's token, or leave ${alien} out.`,
    );
  }
  checkPeopleTerms(flags);
  const shared = await makeGrant(flags, termsOf(flags));
  if (flags.json === true) return printJson(shared);
  if (shared.token === undefined) return tell(SHOWN_ELSEWHERE);
  const kind = flags.role === "agent" ? "token" : "link";
  tell(`${flags.role} ${kind} ${shared.grant.id}, until ${when(shared.grant.expiresAt)}`);
  printLine(shared.link ?? shared.token);
  const onlyHere = shared.link === undefined ? undefined : onlyHereWords(shared.link);
  if (onlyHere !== undefined) tell(onlyHere);
  if (shared.refused !== undefined) tell(refusedWords(shared.refused));
}

function checkPeopleTerms({ role, knock, mayShare }: ShareFlags): void {
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
  if (isStdioClient(client)) return connectByCommand(client, flags);
  const { endpoints, isolation: floor = "none" } = await askBridge(flags, { verb: "ready" });
  // Background commands that the policy does not know need approval.
  const terms: AgentTerms = { ...termsOf(flags), spawnApproval: "unknown" };
  const shared = await makeGrant({ ...flags, role: "agent", label: client }, terms);
  const { token, grant } = shared;
  if (token === undefined) return flags.json === true ? printJson(shared) : tell(SHOWN_ELSEWHERE);
  const nodeVersion = process.versions.node;
  const place = getPlace(client, nodeVersion);
  const configuration = getConfiguration(client, { url: endpoints.mcp, token, nodeVersion });
  const hints = getHints(client);
  if (flags.json === true) return printJson({ ...shared, place, configuration, hints });
  tell(`agent token ${grant.id}, until ${when(grant.expiresAt)}. ${place}`);
  printLine(configuration);
  for (const hint of hints) tell(hint);
  if (shared.refused !== undefined) return tell(refusedWords(shared.refused));
  const sandbox = await sandboxHere(await findKnownFolder(flags));
  return tell(connectWords(flags.isolation, floor, sandbox));
}

/** Prints the configuration of a program that starts `pairpty mcp` and therefore needs no token. */
async function connectByCommand(client: ClientName, flags: ConnectFlags): Promise<void> {
  const [flag] = agentFlagsGiven(flags);
  if (flag !== undefined) {
    throw new UserError(
      `${flag} is for agents with a token: ${client} starts \`pairpty mcp\` and has none`,
      ExitCode.usage,
      `Leave ${flag} out. \`pairpty --agent-isolation sandbox\` puts all agents' commands in a sandbox.`,
    );
  }
  const { folder } = locateFolders(await findKnownFolder(flags));
  const place = getPlace(client);
  const configuration = getStdioConfiguration(
    commandToStart(["mcp", "--cwd", folder, "--name", client]),
  );
  if (flags.json === true) return printJson({ place, configuration, hints: getHints(client) });
  tell(`${client} starts \`pairpty mcp\`, and needs no token. ${place}`);
  return printLine(configuration);
}

const SHOWN_ELSEWHERE =
  "This terminal is shared, so pairpty shows the new link or token in the window where you started it.";

async function makeGrant(flags: ShareFlags, terms: AgentTerms): Promise<ControlAnswers["share"]> {
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
    ...(flags.knock === true ? { knock: true } : {}),
    ...(flags.mayShare === true ? { mayShare: true } : {}),
    ...terms,
    ...(await codeFrom(flags)),
  });
}

export async function grants(flags: VerbFlags): Promise<void> {
  const rows = await askBridge(flags, { verb: "grants" });
  await warnUnsaved(flags);
  if (flags.json === true) return printJson(rows);
  return printLine(grantsText(rows));
}

/** Formats the grants; the column TERMS appears only if one has terms. */
export function grantsText(all: readonly GrantRow[]): string {
  const rows = all.filter(({ replacedBy }) => all.every(({ id }) => id !== replacedBy));
  const terms = rows.map((row) =>
    [termsText(row), earlierText(row, all)].filter((one) => one !== "").join("; "),
  );
  const hasTerms = terms.some((each) => each !== "");
  return table(
    ["ID", "ROLE", "UNTIL", "LABEL", ...(hasTerms ? ["TERMS"] : [])],
    rows.map((row, at) => [
      row.id,
      row.role,
      when(row.expiresAt),
      row.label,
      ...(hasTerms ? [terms[at] || "default"] : []),
    ]),
  );
}

/** Returns how many links of earlier runs also work, and end with this one. */
function earlierText({ id }: GrantRow, all: readonly GrantRow[]): string {
  const count = (of: string): number =>
    all
      .filter(({ replacedBy }) => replacedBy === of)
      .reduce((sum, earlier) => sum + 1 + count(earlier.id), 0);
  const earlier = count(id);
  return earlier === 0 ? "" : `also ${earlier} from before a restart`;
}

/** Returns what differs from a link or token made without flags. */
function termsText(row: GrantRow): string {
  return row.role === "agent" ? agentTermsText(row) : peopleTermsText(row);
}

function peopleTermsText({ knock, mayShare, madeBy, remembered }: GrantRow): string {
  const terms = [
    knock === true ? "waits for admission" : undefined,
    mayShare === true ? "can share" : undefined,
    remembered === true ? "one browser only" : undefined,
    madeBy === undefined ? undefined : `made by ${madeBy}`,
  ];
  return terms.filter((term) => term !== undefined).join("; ");
}

function agentTermsText({
  role,
  scopes,
  tools,
  isolation,
  trustClient,
  spawnApproval,
}: GrantRow): string {
  if (role !== "agent") return "";
  const usual = [...DEFAULT_SCOPES].join(",");
  const terms = [
    scopes.join(",") === usual ? undefined : `scopes ${listed(scopes)}`,
    tools === undefined ? undefined : `tools ${listed(tools)}`,
    isolation === undefined || isolation === "none" ? undefined : `isolation ${isolation}`,
    spawnApproval === "unknown" ? "unknown commands need approval" : undefined,
    trustClient === true ? "its client can approve" : undefined,
  ];
  return terms.filter((term) => term !== undefined).join("; ");
}

function listed(names: readonly string[]): string {
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
  return say(`Revoked ${id} and closed its connections.`);
}

function when(time: number | null): string {
  return time === null ? "pairpty stops" : formatTime(time, Date.now());
}
