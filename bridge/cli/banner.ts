// Owns what a person reads when the bridge is ready. Text in, text out.

import type { Ready } from "../control/requests.ts";
import { VERSION } from "../version.ts";
import { CLIENTS, configurationFor } from "./connect.ts";
import { colors } from "./output.ts";

export interface BannerFacts {
  readonly ready: Ready;
  readonly milliseconds: number | undefined;
  /** The relay is ours, on this machine. */
  readonly local: boolean;
  readonly adopted: number;
}

/** The head and foot for stderr; the links themselves are stdout's. */
export function banner({ ready, milliseconds, local, adopted }: BannerFacts): {
  head: string;
  foot: string;
} {
  const time = milliseconds === undefined ? "is running here" : `ready in ${milliseconds} ms`;
  const head = `\n  ${colors.bold(colors.green("PAIRPTY"))} ${colors.green(`v${VERSION}`)}  ${colors.dim(time)}\n`;
  const claude = configurationFor("claude-code", ready.endpoints.mcp, ready.tokens.agent);
  const others = CLIENTS.filter((client) => client !== "claude-code").join("|");
  const foot: string[] = [
    `  ${colors.green("➜")}  ${colors.bold("Agent")}  ${claude}`,
    `            ${colors.dim(`for others: pairpty connect ${others}`)}\n`,
  ];
  const stopping =
    milliseconds === undefined ? "" : colors.dim("Ctrl-C stops it and its terminals");
  if (adopted > 0)
    foot.push(`  ${adopted} terminal${adopted === 1 ? "" : "s"} from before came back.`);
  if (local) {
    foot.push(
      `  ${colors.dim("These links work on this machine only. To pair with others, start with")}`,
      `  ${colors.dim("--relay https://your-relay.example.com (see README, “Sharing”).")}`,
    );
  }
  foot.push(`  ${colors.dim("Workspace")} ${ready.workspace}  ${stopping}\n`);
  return { head, foot: foot.join("\n") };
}

export function linkLine(name: string, link: string, tty: boolean): string {
  if (!tty) return link;
  return `  ${colors.green("➜")}  ${colors.bold(name.padEnd(6))} ${colors.cyan(link)}`;
}
