// Owns parsing a program's configuration of the service: the keys, limits and error texts of
// configuration files, with the service's own defaults. All problems are reported in one error.

import * as z from "zod/mini";
import { parseValue } from "../../protocol/json.ts";
import type { AgentDefaults } from "../agents/defaults.ts";
import { parseData } from "../config/parse-settings.ts";
import { formatProblem } from "../config/config-problems.ts";
import { toAgentDefaults, toCommandLists } from "../config/agent-options.ts";
import type { CommandLists } from "../policy/command-lists.ts";
import type { AgentTerminalConfig, ProviderConfig, SerializedTerminalState } from "./types.ts";

export interface ServiceConfig {
  readonly provider: string;
  readonly defaults: AgentDefaults;
  /** Providers that the service creates itself. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** Types of the other providers, by name; the program registers these. */
  readonly registeredTypes: ReadonlyMap<string, string | undefined>;
  readonly lists: CommandLists;
}

/** Checks the form only; the settings check the limits. */
const StoredStateSchema = z.object({
  providerName: z.nullable(z.string()),
  bash: z.object({ cropOutput: z.number(), timeoutSeconds: z.number() }),
  persistent: z.object({
    minInterval: z.number(),
    settleInterval: z.number(),
    maxInterval: z.number(),
  }),
});

const PREFIX = "terminal.agentDefaults";

const OWN_TYPES: ReadonlySet<unknown> = new Set<ProviderConfig["type"]>([
  "local",
  "sandbox",
  "container",
]);

/** Parses the configuration. Throws if it is invalid. */
export function parseServiceConfig(config: unknown): ServiceConfig {
  const registeredTypes = findRegisteredTypes(config);
  const { values, problems } = parseData("config", {
    terminal: withStandIns(config, registeredTypes),
  });
  if (problems.length > 0) throw toConfigError(problems);
  const providers = values["terminal.providers"] ?? { local: { type: "local" } };
  const own = Object.entries(providers).filter(([name]) => !registeredTypes.has(name));
  return {
    provider: values[`${PREFIX}.provider`] ?? "local",
    defaults: toAgentDefaults(values),
    providers: Object.fromEntries(own),
    registeredTypes,
    lists: toCommandLists(values),
  };
}

/** Returns the providers whose type is not one of the service's own. */
function findRegisteredTypes(config: unknown): ReadonlyMap<string, string | undefined> {
  const types = Object.entries(findProviders(config) ?? {}).map(
    ([name, provider]) => [name, findType(provider)] as const,
  );
  return new Map(types.filter(([, type]) => !OWN_TYPES.has(type)));
}

/** Replaces registered providers by stand-ins: names and number are checked, settings are not. */
function withStandIns(config: unknown, registered: ReadonlyMap<string, unknown>): unknown {
  const providers = findProviders(config);
  if (providers === undefined || registered.size === 0) return config;
  const checked = Object.entries(providers).map(
    ([name, provider]) => [name, registered.has(name) ? { type: "local" } : provider] as const,
  );
  return { ...Object(config), providers: Object.fromEntries(checked) };
}

function findProviders(config: unknown): object | undefined {
  if (typeof config !== "object" || config === null || !("providers" in config)) return undefined;
  const { providers } = config;
  return typeof providers === "object" && providers !== null && !Array.isArray(providers)
    ? providers
    : undefined;
}

function findType(provider: unknown): string | undefined {
  if (typeof provider !== "object" || provider === null || !("type" in provider)) return undefined;
  return typeof provider.type === "string" ? provider.type : undefined;
}

/** Parses an agent's own settings, with the service's as defaults. Throws if they are invalid. */
export function parseAgentConfig(
  config: AgentTerminalConfig,
  { provider, defaults }: Pick<ServiceConfig, "provider" | "defaults">,
): { readonly provider: string; readonly defaults: AgentDefaults } {
  const { values, problems } = parseData("config", { terminal: { agentDefaults: config } });
  if (problems.length > 0) throw toConfigError(problems);
  return {
    provider: values[`${PREFIX}.provider`] ?? provider,
    defaults: toAgentDefaults(values, defaults),
  };
}

function toConfigError(problems: ReturnType<typeof parseData>["problems"]): Error {
  const lines = problems.map((problem) =>
    `${formatProblem(problem)}. ${problem.right ?? ""}`.trim(),
  );
  return new Error(lines.join("\n"));
}

/** Parses what `serialize` returned, perhaps in an older version. Throws if it is invalid. */
export function parseState(data: unknown): SerializedTerminalState {
  const state = parseValue(StoredStateSchema, data);
  if (!state.ok) throw new Error(`This is not a terminal state: ${state.error}`);
  const { providerName, bash, persistent } = state.value;
  const { problems } = parseData("state", { terminal: { agentDefaults: { bash, persistent } } });
  if (problems.length > 0) throw toConfigError(problems);
  return { providerName, bash, persistent };
}
