// Answers `pairpty share` in a running bridge: makes a link or token, and shows it where it stays
// private.

import { compact } from "../../../protocol/compact.ts";
import type { Isolation } from "../../../protocol/isolation.ts";
import { strictest } from "../../../protocol/isolation.ts";
import type {
  ControlAnswers,
  ControlRequest,
  GrantRow,
} from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { Grant } from "../../grants/grant-table.ts";
import { formatUnavailable } from "../../isolation/find-tool.ts";
import { printNote } from "../output/output.ts";
import { formatPageLink } from "./status-answer.ts";
import type { RunningBridge } from "./control-answers.ts";

export async function share(
  request: Extract<ControlRequest, { verb: "share" }>,
  running: RunningBridge,
): Promise<ControlAnswers["share"]> {
  const { run, ready, hasWindow } = running;
  if (request.quietly && !hasWindow) {
    throw new UserError(
      "pairpty runs in the background, so it has no window to show the token in",
      ExitCode.usage,
      "Run this in a terminal that is not shared.",
    );
  }
  await waitForLinks(running);
  const { verb: _verb, code: _code, quietly, expiresInMs, ...options } = request;
  const { role } = options;
  const expiresAt = Date.now() + expiresInMs;
  const { grant, token } = run.grants.mint({ ...options, expiresAt, session: false });
  // The recipient may use the link at once.
  await run.link.confirmed();
  const link =
    role === "agent" ? undefined : formatPageLink(run.publicAddress, ready.workspace, token);
  const refused = role === "agent" ? await findRefusalReason(run, request.isolation) : undefined;
  const answer = { grant: toGrantRow(grant), ...compact({ refused }) };
  if (!quietly) return { ...answer, token, ...compact({ link }) };
  // Everyone in a shared terminal sees its output, agents too.
  const what = `${role} ${link === undefined ? "token" : "link"}`;
  printNote(`\n  New ${what}, requested inside a shared terminal:\n  ${link ?? token}\n`);
  return answer;
}

/**
 * Returns why this agent's commands will be refused; reported when a token is made, before the agent's
 * first failure.
 */
async function findRefusalReason(
  { isolation }: RunningBridge["run"],
  requestedIsolation: Isolation | undefined,
): Promise<string | undefined> {
  const level = strictest(requestedIsolation, isolation.floor);
  if (level === "none") return undefined;
  const ability = await isolation.getAbility(level);
  return ability.ok ? undefined : formatUnavailable(ability);
}

/** Resolves when links work, so that none is shown before [G5]. */
export async function waitForLinks({ run }: RunningBridge): Promise<void> {
  const problem = await run.firstLinkOutcome;
  if (problem !== undefined && !run.hasConnected) throw problem;
}

export function toGrantRow(grant: Grant): GrantRow {
  const { hash: _hash, connection: _connection, local: _local, device, ...row } = grant;
  return device === undefined ? row : { ...row, remembered: true };
}
