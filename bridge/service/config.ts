// Owns reading a program's configuration for the service: the same keys, limits and sentences as in
// a configuration file, with the seed's defaults. What does not fit is one error that tells all of it.

import * as z from "zod/mini";
import { parseValue } from "../../protocol/json.ts";
import type { AgentDefaults } from "../agents/defaults.ts";
import { parseData } from "../config/parse.ts";
import { sentenceOf } from "../config/problems.ts";
import { agentDefaultsOf, listsOf } from "../config/terminal-values.ts";
import type { CommandLists } from "../policy/lists.ts";
import type { AgentTerminalConfig, ProviderConfig, SerializedTerminalState } from "./types.ts";

export interface ServiceConfig {
  readonly provider: string;
  readonly defaults: AgentDefaults;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly lists: CommandLists;
}

/** Which limits hold is said by the settings. */
const Kept = z.object({
  providerName: z.nullable(z.string()),
  bash: z.object({ cropOutput: z.number(), timeoutSeconds: z.number() }),
  persistent: z.object({
    minInterval: z.number(),
    settleInterval: z.number(),
    maxInterval: z.number(),
  }),
});

const PREFIX = "terminal.agentDefaults";

/** Throws when it does not fit. */
export function readConfig(config: unknown): ServiceConfig {
  const { values, problems } = parseData("config", { terminal: config });
  if (problems.length > 0) throw misfit(problems);
  return {
    provider: values[`${PREFIX}.provider`] ?? "local",
    defaults: agentDefaultsOf(values),
    providers: values["terminal.providers"] ?? { local: { type: "local" } },
    lists: listsOf(values),
  };
}

/** An agent's own over the service's. Throws when it does not fit. */
export function readAgentConfig(
  config: AgentTerminalConfig,
  { provider, defaults }: Pick<ServiceConfig, "provider" | "defaults">,
): { readonly provider: string; readonly defaults: AgentDefaults } {
  const { values, problems } = parseData("config", { terminal: { agentDefaults: config } });
  if (problems.length > 0) throw misfit(problems);
  return {
    provider: values[`${PREFIX}.provider`] ?? provider,
    defaults: agentDefaultsOf(values, defaults),
  };
}

function misfit(problems: ReturnType<typeof parseData>["problems"]): Error {
  const lines = problems.map((problem) => `${sentenceOf(problem)}. ${problem.right ?? ""}`.trim());
  return new Error(lines.join("\n"));
}

/** What `serialize` gave, perhaps long ago. Throws when it does not fit, and changes nothing. */
export function readState(data: unknown): SerializedTerminalState {
  const state = parseValue(Kept, data);
  if (!state.ok) throw new Error(`This is not a terminal state: ${state.error}`);
  const { providerName, bash, persistent } = state.value;
  const { problems } = parseData("state", { terminal: { agentDefaults: { bash, persistent } } });
  if (problems.length > 0) throw misfit(problems);
  return { providerName, bash, persistent };
}
