// Owns the step before a start goes public through a tunnel: which program, what that means in plain
// words, and a person's yes. Nothing runs before it.

import { ExitCode, UserError } from "../../errors.ts";
import { finderOutside } from "../../providers/find-tool.ts";
import type { TunnelPlan } from "../../tunnels/programs.ts";
import { planTunnel, readerWords } from "../../tunnels/programs.ts";
import type { StartOptions } from "../flags/options.ts";
import { colors, say, warn } from "../output/output.ts";
import { canAsk, surroundings } from "../output/surface.ts";

type Asked = Pick<StartOptions, "tunnel" | "yes" | "json" | "quiet" | "agentRoots" | "conformance">;

/** Undefined for none; "declined" when the answer was no. */
export async function settleTunnel(
  options: Asked,
  folder: string,
  isBackground: boolean,
): Promise<TunnelPlan | "declined" | undefined> {
  if (options.tunnel === undefined) return undefined;
  if (isBackground) {
    // Its terminals are for a window on this machine, and nobody is here to ask.
    warn("no tunnel: `pairpty shell` starts none. Run `pairpty --tunnel` for one.");
    return undefined;
  }
  // Never a program that an agent could have put there.
  const find = finderOutside(process.env["PATH"] ?? "", [folder, ...options.agentRoots]);
  const plan = planTunnel(options.tunnel, find);
  if (options.yes) return plan;
  if (!canAsk(surroundings()) || options.json) {
    throw new UserError(
      `a tunnel makes this workspace public, and pairpty cannot ask here (${plan.name})`,
      ExitCode.usage,
      "Add --yes to start it without a question.",
    );
  }
  say(publicWords(plan).join("\n"));
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({
    message: `Go public through ${plan.name}?`,
    initialValue: false,
    output: process.stderr,
  });
  return answer === true ? plan : "declined";
}

export function startingWords({ name }: TunnelPlan): string {
  return colors.dim(`  starting ${name}…`);
}

function publicWords({ name, operator }: TunnelPlan): string[] {
  return [
    "",
    `  ${colors.bold("--tunnel makes this workspace reachable from the internet")}, by ${name}.`,
    "  Only people with a link get in; the Edit link gives them a shell as you.",
    `  ${readerWords(operator)}`,
    "",
  ];
}
