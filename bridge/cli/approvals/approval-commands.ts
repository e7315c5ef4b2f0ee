// Owns the commands about agents' approvals: approvals, approve, deny, rules.

import { formatDuration } from "../../../protocol/formats.ts";
import type { ApprovalWord } from "../../../protocol/approval.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { CodeFlag } from "../flags/parse-arguments.ts";
import { readCode } from "../flags/parse-arguments.ts";
import { formatCommandHere } from "../output/command-name.ts";
import { printJson, printLine, printNote, stdoutColors, getWindowWidth } from "../output/output.ts";
import { formatTable } from "../output/table.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";
import { askBridge, warnUnsaved } from "../verbs/bridge-request.ts";
import { formatCard, describeAnswers, toOneLine } from "./approval-card.ts";

const MAX_COLUMNS = 100;

export interface ApproveFlags extends VerbFlags, CodeFlag {
  readonly session?: boolean;
  readonly prefix?: boolean;
}

/** Lists open approvals in full, including what did not fit elsewhere; with an id, only that one. */
export async function approvals(only: string | undefined, flags: VerbFlags): Promise<void> {
  const all = await askBridge(flags, { verb: "approvals" });
  const open = only === undefined ? all : all.filter(({ id }) => id === only);
  if (only !== undefined && open.length === 0) {
    const hint = "`pairpty approvals` lists the open ones.";
    throw new UserError(`approval ${only} is not open`, ExitCode.usage, hint);
  }
  if (flags.json === true) return printJson(open);
  if (open.length === 0) return printNote("No agent is waiting for approval.");
  const columns = Math.min(getWindowWidth() ?? MAX_COLUMNS, MAX_COLUMNS);
  const options = { columns, rows: Number.POSITIVE_INFINITY, ascii: false, paint: stdoutColors };
  const now = Date.now();
  const blocks = open.map((approval) => {
    const { id, askedAt, expiresAt } = approval;
    const until = expiresAt === null ? "" : `, expires in ${formatDuration(expiresAt - now)}`;
    const head = `${stdoutColors.bold(id)}  requested ${formatDuration(now - askedAt)} ago${until}`;
    const offers = [...describeAnswers(approval)].flatMap(([word, means]) => {
      const call = COMMAND_BY_ANSWER[word];
      return call === undefined
        ? []
        : [`  \`${formatCommandHere(call(id))}\` ${stdoutColors.dim(means)}`];
    });
    const more = only === undefined ? { moreCommand: formatCommandHere(`approvals ${id}`) } : {};
    return [head, ...formatCard(approval, { ...options, ...more }).lines, ...offers].join("\n");
  });
  return printLine(blocks.join("\n\n"));
}

const COMMAND_BY_ANSWER: Readonly<Record<ApprovalWord, ((id: string) => string) | undefined>> = {
  once: (id) => `approve ${id} --code`,
  session: (id) => `approve ${id} --session --code`,
  prefix: (id) => `approve ${id} --prefix --code`,
  deny: (id) => `deny ${id}`,
};

export async function approve(id: string, flags: ApproveFlags): Promise<void> {
  if (flags.session === true && flags.prefix === true) {
    throw new UserError(
      "--session and --prefix exclude each other",
      ExitCode.usage,
      "Give one of them.",
    );
  }
  const lasting = flags.session === true ? "session" : "once";
  const answer = flags.prefix === true ? "prefix" : lasting;
  // If the approval cannot be answered, the bridge says why; no code is needed for that.
  const open = await askBridge(flags, { verb: "approvals" });
  const approval = open.find((one) => one.id === id);
  const code = approval === undefined ? {} : await readCode(flags);
  const done = await askBridge(flags, { verb: "answer", id, answer, ...code });
  if (flags.json === true) return printJson(done);
  return printNote(allowedText(answer, approval?.rule));
}

function allowedText(answer: "once" | "session" | "prefix", rule: string | undefined): string {
  switch (answer) {
    case "once":
      return "Allowed once.";
    case "session":
      return "Allowed, also when the agent runs the same command again.";
    case "prefix":
      return rule === undefined
        ? "Allowed, along with similar commands in this folder."
        : `Allowed, along with every \`${toOneLine(rule)}\` in this folder.`;
  }
}

export async function deny(
  id: string,
  flags: VerbFlags & { readonly reason?: string },
): Promise<void> {
  const { reason } = flags;
  const why = reason === undefined ? {} : { reason };
  const done = await askBridge(flags, { verb: "answer", id, answer: "deny", ...why });
  if (flags.json === true) return printJson(done);
  return printNote("Denied.");
}

/** Lists the standing approvals that --session and --prefix made; with --end, ends one. */
export async function rules(flags: VerbFlags & { readonly end?: string }): Promise<void> {
  if (flags.end !== undefined) return await endRule(flags.end, flags);
  const rows = await askBridge(flags, { verb: "rules" });
  await warnUnsaved(flags);
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return printNote("No standing approvals.");
  const now = Date.now();
  return printLine(
    formatTable(
      ["ID", "KIND", "AGENT", "SINCE", "FOLDER", "ALLOWS"],
      rows.map(({ id, kind, grant, label, allows, cwd, madeAt }) => [
        id,
        kind,
        label === "" ? grant : label,
        `${formatDuration(now - madeAt)} ago`,
        cwd,
        allows,
      ]),
      getWindowWidth(),
    ),
  );
}

async function endRule(id: string, flags: VerbFlags): Promise<void> {
  const { ended } = await askBridge(flags, { verb: "endRule", id });
  if (!ended) {
    throw new UserError(`unknown rule ${id}`, ExitCode.usage, "`pairpty rules` lists them.");
  }
  if (flags.json === true) return printJson({ ended: id });
  return printNote(`Ended rule ${id}: the agent needs approval again.`);
}
