// Owns the flags that limit an agent's token, for `share --role agent` and `connect`.

import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import * as z from "zod/mini";
import type { AgentTerms } from "../../../protocol/grant.ts";
import { DEFAULT_SCOPES, Scope, ToolSet } from "../../../protocol/grant.ts";
import type { Isolation } from "../../../protocol/isolation.ts";
import { ISOLATIONS } from "../../../protocol/isolation.ts";

/** Undefined for flags that were not given, which differs from a default. */
export interface AgentFlags {
  readonly scopes?: Scope[];
  readonly tools?: ToolSet[];
  readonly isolation?: Isolation;
  readonly trustClient?: boolean;
}

export function withAgentFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--scopes <list>",
        `what an agent may do: ${Scope.options.join(",")} (default: ${DEFAULT_SCOPES.join(",")})`,
      ).argParser((text) => parseList(Scope, text, "Scopes")),
    )
    .addOption(
      new Option(
        "--tools <list>",
        `which tools an agent sees: ${ToolSet.options.join(",")} (default: all)`,
      ).argParser((text) => parseList(ToolSet, text, "Tool sets")),
    )
    .addOption(
      new Option(
        "--isolation <level>",
        "minimum isolation of the agent's commands (default: none)",
      ).choices(ISOLATIONS),
    )
    .option("--trust-client", "let the agent's own program answer approvals for you");
}

/** Returns the names of the flags that were given. */
export function listGivenFlags(flags: AgentFlags): string[] {
  const given: [string, unknown][] = [
    ["--scopes", flags.scopes],
    ["--tools", flags.tools],
    ["--isolation", flags.isolation],
    ["--trust-client", flags.trustClient],
  ];
  return given.filter(([, value]) => value !== undefined).map(([name]) => name);
}

export function toAgentTerms({ tools, isolation, trustClient }: AgentFlags): AgentTerms {
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(trustClient === undefined ? {} : { trustClient }),
  };
}

function parseList<T extends string>(
  schema: z.ZodMiniType<T, string> & { readonly options: readonly T[] },
  text: string,
  what: string,
): T[] {
  const parsed = z.array(schema).check(z.minLength(1)).safeParse(text.split(","));
  if (parsed.success) return [...new Set(parsed.data)];
  throw new InvalidArgumentError(`${what} are ${schema.options.join(", ")}, separated by commas.`);
}
