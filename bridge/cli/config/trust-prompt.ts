// Asks whether to trust a project's file; warns instead where it cannot ask.

import type { Configuration } from "../../config/load.ts";
import { withTrust } from "../../config/load.ts";
import { wanting } from "../../config/layers.ts";
import { unknownVariables } from "../../config/parse.ts";
import { escaped, shownValue } from "../../config/problems.ts";
import { mayBeAskedHere, trust } from "../../config/trust.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { colors, say, warn } from "../output/output.ts";
import { canAsk, surroundings } from "../output/surface.ts";
import { table } from "../output/table.ts";

/** The user should see all that they trust, as far as a screen allows. */
const MOST_SHOWN = 1_500;

export interface Asking {
  /** The workspace's state folder. */
  readonly state: string;
  /** True if a program reads the output, so that no question can be asked. */
  readonly json: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

type Answer = "trust" | "without" | "stop";

/**
 * Returns the configuration to start with: with the file's settings if trusted, else without them;
 * undefined to stop.
 */
export async function settleTrust(
  configuration: Configuration,
  { state, json, environment }: Asking,
): Promise<Configuration | undefined> {
  const { project, merged } = configuration;
  const missed = merged.outcomes.filter((outcome) => outcome.missed).map(({ key }) => key);
  if (missed.length === 0 || project.sha256 === undefined) return configuration;
  const people = canAsk({ ...surroundings(), environment }) && !json;
  if (!people || !mayBeAskedHere(environment)) {
    warn(
      `${escaped(project.path)} is not trusted: pairpty ignored its ${missed.join(", ")}. ` +
        "To trust it as it is now, run `pairpty config trust`",
    );
    return configuration;
  }
  say(`\n${request(configuration)}\n`);
  switch (await ask()) {
    case "trust":
      trust(state, project.path, project.sha256, Date.now());
      return withTrust(configuration);
    case "without":
      return configuration;
    case "stop":
      return undefined;
  }
}

/** Formats the question: the file, and each setting that trust would apply. */
export function request({ project, layers }: Pick<Configuration, "project" | "layers">): string {
  const rows = wanting(layers.project).map(({ setting, value }) => [
    `    ${setting.key}`,
    shownValue(value, MOST_SHOWN),
    setting.project.why,
  ]);
  const head = `  ${colors.yellow(escaped(project.path))}\n  came with this folder and has settings that need your trust:`;
  return `${head}\n\n${table(undefined, rows)}`;
}

/** Warns about unknown PAIRPTY_… variables, which would otherwise go unnoticed. */
export function warnOfVariables(environment: NodeJS.ProcessEnv): void {
  for (const { name, meant } of unknownVariables(environment)) {
    const hint = meant === undefined ? "see `pairpty config explain`" : `did you mean ${meant}?`;
    warn(`unknown variable ${name}: ${hint}`);
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

async function ask(): Promise<Answer> {
  const { select, isCancel } = await import("@clack/prompts");
  const answer = await select<Answer>({
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
