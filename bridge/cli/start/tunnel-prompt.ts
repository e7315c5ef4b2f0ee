// Asks before a start goes public through a tunnel: names the program and the consequences. Nothing
// starts before the answer.

import { ExitCode, UserError } from "../../errors.ts";
import { toOutsideFinder } from "../../isolation/find-tool.ts";
import type { TunnelPlan } from "../../tunnels/tunnel-programs.ts";
import { planTunnel, formatOperatorNotice } from "../../tunnels/tunnel-programs.ts";
import type { StartOptions } from "../flags/start-options.ts";
import { colors, printNote, printWarning } from "../output/output.ts";
import { canAsk, getWindowEnvironment } from "../output/window-support.ts";

type TunnelPromptOptions = Pick<
  StartOptions,
  "tunnel" | "yes" | "json" | "quiet" | "agentRoots" | "conformance"
>;

/** Returns the tunnel's plan; undefined for none, "declined" if the user said no. */
export async function askTunnel(
  options: TunnelPromptOptions,
  folder: string,
  isBackground: boolean,
): Promise<TunnelPlan | "declined" | undefined> {
  if (options.tunnel === undefined) return undefined;
  if (isBackground) {
    // A background bridge serves windows on this machine and cannot ask.
    printWarning("`pairpty shell` opens no tunnel. Run `pairpty --tunnel` for one.");
    return undefined;
  }
  // Ignores programs in folders that agents can write to.
  const find = toOutsideFinder(process.env["PATH"] ?? "", [folder, ...options.agentRoots]);
  const plan = planTunnel(options.tunnel, find);
  if (options.yes) return plan;
  if (!canAsk(getWindowEnvironment()) || options.json) {
    throw new UserError(
      `a tunnel (${plan.name}) makes this workspace public, and pairpty cannot ask for confirmation here`,
      ExitCode.usage,
      "Add --yes to confirm.",
    );
  }
  printNote(formatPublicNotice(plan).join("\n"));
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({
    message: `Go public through ${plan.name}?`,
    initialValue: false,
    output: process.stderr,
  });
  return answer === true ? plan : "declined";
}

export function formatTunnelStarting({ name }: TunnelPlan): string {
  return colors.dim(`  starting ${name}…`);
}

function formatPublicNotice({ name, operator }: TunnelPlan): string[] {
  return [
    "",
    `  ${colors.bold("--tunnel makes this workspace reachable from the internet")}, through ${name}.`,
    "  Only people with a link can join; the Edit link gives a shell as you.",
    `  ${formatOperatorNotice(operator)}`,
    "",
  ];
}
