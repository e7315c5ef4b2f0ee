// Owns converting the settings below `terminal` to what the rest of the program takes. Pure.

import type { AgentDefaults } from "../agents/defaults.ts";
import { AGENT_DEFAULTS } from "../agents/defaults.ts";
import type { CommandLists } from "../policy/lists.ts";
import { commandLists } from "../policy/lists.ts";
import type { Values } from "./schema.ts";

/** Returns the agent defaults; `others` has the values that are not set. */
export function agentDefaultsOf(values: Values, others = AGENT_DEFAULTS): AgentDefaults {
  const { bash, persistent } = others;
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

export function listsOf(values: Values): CommandLists {
  return commandLists(values["terminal.safeCommands"], values["terminal.dangerousCommands"]);
}
