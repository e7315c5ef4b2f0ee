// Owns the verbs about agents' questions: approvals, approve, deny, rules.

import { formatDuration } from "../../../protocol/times.ts";
import type { ApprovalWord } from "../../../protocol/approval.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { CodeFlag } from "../flags/code.ts";
import { codeFrom } from "../flags/code.ts";
import { typedHere } from "../output/command-name.ts";
import { printJson, printLine, say, stdoutColors, windowWidth } from "../output/output.ts";
import { table } from "../output/table.ts";
import type { VerbFlags } from "../verbs/ask.ts";
import { askBridge, warnUnsaved } from "../verbs/ask.ts";
import { cardOf, offerWords } from "./card.ts";

const WIDEST = 100;

export interface ApproveFlags extends VerbFlags, CodeFlag {
  readonly session?: boolean;
  readonly prefix?: boolean;
}

/**
 * Prints open questions in full, however long: what did not fit a card is read here. With an id, prints
 * that one, with every reason.
 */
export async function approvals(only: string | undefined, flags: VerbFlags): Promise<void> {
  const all = await askBridge(flags, { verb: "approvals" });
  const open = only === undefined ? all : all.filter(({ id }) => id === only);
  if (only !== undefined && open.length === 0) {
    const hint = "`pairpty approvals` lists what is open.";
    throw new UserError(`approval ${only} is not open`, ExitCode.usage, hint);
  }
  if (flags.json === true) return printJson(open);
  if (open.length === 0) return say("no agent is waiting for an answer");
  const columns = Math.min(windowWidth() ?? WIDEST, WIDEST);
  const wish = { columns, rows: Number.POSITIVE_INFINITY, ascii: false, paint: stdoutColors };
  const now = Date.now();
  const blocks = open.map((approval) => {
    const { id, askedAt, expiresAt } = approval;
    const until = expiresAt === null ? "" : `, expires in ${formatDuration(expiresAt - now)}`;
    const head = `${stdoutColors.bold(id)}  asked ${formatDuration(now - askedAt)} ago${until}`;
    const offers = [...offerWords(approval)].flatMap(([word, means]) => {
      const call = CALLS[word];
      return call === undefined ? [] : [`  \`${typedHere(call(id))}\` ${stdoutColors.dim(means)}`];
    });
    const more = only === undefined ? { moreCommand: typedHere(`approvals ${id}`) } : {};
    return [head, ...cardOf(approval, { ...wish, ...more }).lines, ...offers].join("\n");
  });
  return printLine(blocks.join("\n\n"));
}

const CALLS: Readonly<Record<ApprovalWord, ((id: string) => string) | undefined>> = {
  once: (id) => `approve ${id} --code`,
  session: (id) => `approve ${id} --session --code`,
  prefix: (id) => `approve ${id} --prefix --code`,
  deny: (id) => `deny ${id}`,
};

export async function approve(id: string, flags: ApproveFlags): Promise<void> {
  if (flags.session === true && flags.prefix === true) {
    throw new UserError(
      "--session and --prefix are two answers",
      ExitCode.usage,
      "Give one of them.",
    );
  }
  const longer = flags.session === true ? "session" : "once";
  const answer = flags.prefix === true ? "prefix" : longer;
  // Nobody looks for a code to answer what cannot be answered: the bridge says why it cannot.
  const open = await askBridge(flags, { verb: "approvals" });
  const code = open.some((one) => one.id === id) ? await codeFrom(flags) : {};
  const done = await askBridge(flags, { verb: "answer", id, answer, ...code });
  if (flags.json === true) return printJson(done);
  return say(`allowed ${id}, ${answer}`);
}

export async function deny(
  id: string,
  flags: VerbFlags & { readonly reason?: string },
): Promise<void> {
  const { reason } = flags;
  const why = reason === undefined ? {} : { reason };
  const done = await askBridge(flags, { verb: "answer", id, answer: "deny", ...why });
  if (flags.json === true) return printJson(done);
  return say(`denied ${id}`);
}

/** What the answers --session and --prefix left; with --end, one of them less. */
export async function rules(flags: VerbFlags & { readonly end?: string }): Promise<void> {
  if (flags.end !== undefined) return await endRule(flags.end, flags);
  const rows = await askBridge(flags, { verb: "rules" });
  await warnUnsaved(flags);
  if (flags.json === true) return printJson(rows);
  if (rows.length === 0) return say("no rules: each answer so far was for one command only");
  const now = Date.now();
  return printLine(
    table(
      ["ID", "KIND", "AGENT", "SINCE", "FOLDER", "ALLOWS"],
      rows.map(({ id, kind, grant, label, allows, cwd, madeAt }) => [
        id,
        kind,
        label === "" ? grant : label,
        `${formatDuration(now - madeAt)} ago`,
        cwd,
        allows,
      ]),
      windowWidth(),
    ),
  );
}

async function endRule(id: string, flags: VerbFlags): Promise<void> {
  const { ended } = await askBridge(flags, { verb: "endRule", id });
  if (!ended) {
    throw new UserError(`unknown rule ${id}`, ExitCode.usage, "`pairpty rules` lists them.");
  }
  if (flags.json === true) return printJson({ ended: id });
  return say(`ended ${id}: the agent asks again`);
}
