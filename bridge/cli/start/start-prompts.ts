// Asks whether to trust a project's file; warns instead where it cannot ask. Asks before a start
// goes public through a tunnel: names the program and the consequences. Nothing starts before the
// answer.

import { escapeInvisible, formatValue } from "../../config/config-problems.ts";
import type { Configuration } from "../../config/load-configuration.ts";
import { withTrust } from "../../config/load-configuration.ts";
import { listNeedingTrust } from "../../config/merge-layers.ts";
import { findUnknownVariables } from "../../config/parse-settings.ts";
import { canAskForTrust, trustFile } from "../../config/config-files.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { toOutsideFinder } from "../../isolation/find-tool.ts";
import { formatReadableNote, formatSealedNote } from "../../sealed/encryption-notes.ts";
import type { TunnelPlan } from "../../tunnels/tunnel-programs.ts";
import { planTunnel, formatOperatorNotice } from "../../tunnels/tunnel-programs.ts";
import type { StartOptions } from "../flags/start-options.ts";
import { colors, printNote, printWarning, canAsk, getWindowEnvironment } from "../output/output.ts";
import { formatTable } from "../output/table.ts";

/** Show the user all that they trust, as much as fits the screen. */
const MAX_SHOWN_CHARS = 1_500;

export interface TrustPromptOptions {
  /** The workspace's state folder. */
  readonly state: string;
  /** True if a program reads the output, so that no question can be asked. */
  readonly json: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

type TrustAnswer = "trust" | "without" | "stop";

/**
 * Returns the configuration to start with: with the file's settings if trusted, else without them;
 * undefined to stop.
 */
export async function askTrust(
  configuration: Configuration,
  { state, json, environment }: TrustPromptOptions,
): Promise<Configuration | undefined> {
  const { project, merged } = configuration;
  const ignoredKeys = merged.outcomes.filter((outcome) => outcome.isMissed).map(({ key }) => key);
  if (ignoredKeys.length === 0 || project.sha256 === undefined) return configuration;
  const isInteractive = canAsk({ ...getWindowEnvironment(), environment }) && !json;
  if (!isInteractive || !canAskForTrust(environment)) {
    printWarning(
      `${escapeInvisible(project.path)} is not trusted: pairpty ignored its ${ignoredKeys.join(", ")}. ` +
        "To trust it as it is now, run `pairpty config trust`",
    );
    return configuration;
  }
  printNote(`\n${formatTrustRequest(configuration)}\n`);
  switch (await selectAnswer()) {
    case "trust":
      trustFile(state, project.path, project.sha256, Date.now());
      return withTrust(configuration);
    case "without":
      return configuration;
    case "stop":
      return undefined;
  }
}

/** Formats the question: the file, and each setting that trust would apply. */
export function formatTrustRequest({
  project,
  layers,
}: Pick<Configuration, "project" | "layers">): string {
  const rows = listNeedingTrust(layers.project).map(({ setting, value }) => [
    `    ${setting.key}`,
    formatValue(value, MAX_SHOWN_CHARS),
    setting.project.why,
  ]);
  const head = `  ${colors.yellow(escapeInvisible(project.path))}\n  came with this folder and has settings that need your trust:`;
  return `${head}\n\n${formatTable(undefined, rows)}`;
}

/** Warns about unknown PAIRPTY_… variables, which would otherwise go unnoticed. */
export function warnUnknownVariables(environment: NodeJS.ProcessEnv): void {
  for (const { name, meant } of findUnknownVariables(environment)) {
    const hint = meant === undefined ? "see `pairpty config explain`" : `did you mean ${meant}?`;
    printWarning(`unknown variable ${name}: ${hint}`);
  }
}

/** Asks for `config trust`, where the only answers are yes and no. */
export async function confirmTrust(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UserError(
      "pairpty cannot ask here: this is not a terminal",
      ExitCode.usage,
      "Read the file, then add --yes.",
    );
  }
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({
    message: "Trust this file, as it is now?",
    initialValue: false,
    output: process.stderr,
  });
  return answer === true;
}

async function selectAnswer(): Promise<TrustAnswer> {
  const { select, isCancel } = await import("@clack/prompts");
  const answer = await select<TrustAnswer>({
    message: "Trust this file, as it is now?",
    initialValue: "without",
    output: process.stderr,
    options: [
      { value: "without", label: "No, ignore these settings" },
      { value: "trust", label: "Yes, and do not ask again until it changes" },
      { value: "stop", label: "Stop" },
    ],
  });
  return isCancel(answer) ? "stop" : answer;
}

type TunnelPromptOptions = Pick<
  StartOptions,
  "tunnel" | "yes" | "json" | "quiet" | "agentRoots" | "isSealed"
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
  printNote(formatPublicNotice(plan, options.isSealed).join("\n"));
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

function formatPublicNotice({ name, operator }: TunnelPlan, isSealed: boolean): string[] {
  const notice = isSealed ? formatSealedNote() : formatReadableNote(formatOperatorNotice(operator));
  return [
    "",
    `  ${colors.bold("--tunnel makes this workspace reachable from the internet")}, through ${name}.`,
    "  Only people with a link can join; the Edit link gives a shell as you.",
    `  ${notice}`,
    "",
  ];
}
