// Asks whether to trust a project's file; warns instead where it cannot ask.

import type { Configuration } from "../../config/load-configuration.ts";
import { withTrust } from "../../config/load-configuration.ts";
import { listNeedingTrust } from "../../config/merge-layers.ts";
import { findUnknownVariables } from "../../config/parse-settings.ts";
import { escapeInvisible, formatValue } from "../../config/config-problems.ts";
import { canAskForTrust, trustFile } from "../../config/trust.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { colors, printNote, printWarning } from "../output/output.ts";
import { canAsk, getWindowEnvironment } from "../output/window-support.ts";
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
