// Owns converting the settings below `terminal` to what the rest of the program takes. Pure.

import type { AgentDefaults } from "../agents/defaults.ts";
import { AGENT_DEFAULTS } from "../agents/defaults.ts";
import type { CommandLists } from "../policy/command-lists.ts";
import { createCommandLists } from "../policy/command-lists.ts";
import type { SettingValues } from "./schema.ts";

/** Returns the agent defaults; `fallback` has the values that are not set. */
export function toAgentDefaults(values: SettingValues, fallback = AGENT_DEFAULTS): AgentDefaults {
  const { bash, persistent } = fallback;
  const at = "terminal.agentDefaults";
  return {
    bash: {
      cropOutput: values[`${at}.bash.cropOutput`] ?? bash.cropOutput,
      timeoutSeconds: values[`${at}.bash.timeoutSeconds`] ?? bash.timeoutSeconds,
    },
    persistent: {
      minInterval: values[`${at}.persistent.minInterval`] ?? persistent.minInterval,
      settleInterval: values[`${at}.persistent.settleInterval`] ?? persistent.settleInterval,
      maxInterval: values[`${at}.persistent.maxInterval`] ?? persistent.maxInterval,
    },
  };
}

export function toCommandLists(values: SettingValues): CommandLists {
  return createCommandLists(values["terminal.safeCommands"], values["terminal.dangerousCommands"]);
}
