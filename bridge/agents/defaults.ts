// Owns what an agent's commands and sessions get where neither the user nor the agent says more:
// seed 004's `agentDefaults`. Times are in seconds there, so they are here.

export interface AgentDefaults {
  readonly bash: {
    /** Characters of output that an answer has at most. */
    readonly cropOutput: number;
    readonly timeoutSeconds: number;
  };
  /** How long an answer of a session waits for output. */
  readonly persistent: {
    /** At least this long. */
    readonly minInterval: number;
    /** Until it is quiet for this long. */
    readonly settleInterval: number;
    /** At most this long. */
    readonly maxInterval: number;
  };
}

export const AGENT_DEFAULTS: AgentDefaults = {
  bash: { cropOutput: 10_000, timeoutSeconds: 60 },
  persistent: { minInterval: 1, settleInterval: 2, maxInterval: 30 },
};
