// Owns the default limits of agents' commands and sessions, used where neither the user nor the
// agent sets one. Times are in seconds, as in the tools' parameters.

export interface AgentDefaults {
  readonly bash: {
    /** Maximum characters of output in an answer. */
    readonly cropOutput: number;
    readonly timeoutSeconds: number;
  };
  /** How long a session's answer waits for output, in seconds. */
  readonly persistent: {
    /** Minimum wait. */
    readonly minInterval: number;
    /** Quiet time after which the answer returns. */
    readonly settleInterval: number;
    /** Maximum wait. */
    readonly maxInterval: number;
  };
}

export const AGENT_DEFAULTS: AgentDefaults = {
  bash: { cropOutput: 10_000, timeoutSeconds: 60 },
  persistent: { minInterval: 1, settleInterval: 2, maxInterval: 30 },
};
