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
import { isReadableByRelay } from "../../grants/before-sealing.ts";
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
  const { verb: _verb, code: _code, quietly, expiresInMs, plain, ...options } = request;
  const { role } = options;
  const expiresAt = Date.now() + expiresInMs;
  // Agents' programs speak MCP or ACP over plain HTTP and sockets.
  const isForPage = role !== "agent" && plain !== true;
  const minted = run.grants.mint({
    ...options,
    expiresAt,
    session: false,
    ...(isForPage && ready.e2e === true ? { sealed: true } : {}),
    ...(role !== "agent" && plain === true ? { plain: true } : {}),
  });
  const { grant, token } = minted;
  // The recipient may use the link at once.
  await run.link.confirmed();
  const link = isForPage
    ? formatPageLink(run.publicAddress, ready.workspace, minted.link)
    : undefined;
  const refused = role === "agent" ? await findRefusalReason(run, request.isolation) : undefined;
  const row = toGrantRow(grant, ready.e2e === true);
  const answer = { grant: row, ...compact({ refused }) };
  // The ticket of an end-to-end encrypted link opens nothing by itself.
  if (!quietly) return { ...answer, ...(row.sealed ? {} : { token }), ...compact({ link }) };
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

export function listGrantRows({ run, ready }: RunningBridge): GrantRow[] {
  const valid = run.grants.list().filter(({ retired }) => retired !== true);
  return valid.map((grant) => toGrantRow(grant, ready.e2e === true));
}

function toGrantRow(grant: Grant, isSealedRoom: boolean): GrantRow {
  const { hash: _hash, connection: _connection, local: _local, device, psk, ...others } = grant;
  const { plain: _plain, retired: _retired, ...row } = others;
  return {
    ...row,
    sealed: psk !== undefined,
    ...(isSealedRoom && isReadableByRelay(grant) ? { readable: true } : {}),
    ...(device === undefined ? {} : { remembered: true }),
  };
}
