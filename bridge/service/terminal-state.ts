// Owns an agent's slice of state: its provider, settings and sessions. Resetting the chat ends the
// sessions and keeps the settings.

import { parseState } from "./service-config.ts";
import type {
  OutputWaitOptions,
  ResetWhat,
  SerializedTerminalState,
  TerminalStateSession,
} from "./types.ts";

/** Resets that end an agent's sessions, and those that restore its settings. */
const ENDS_SESSIONS: ReadonlySet<ResetWhat> = new Set(["chat", "all"]);
const UNDOES_SETTINGS: ReadonlySet<ResetWhat> = new Set(["settings", "all"]);

/** The agent's sessions, which the service holds. */
export interface StateSessions {
  list(): TerminalStateSession[];
  end(): void;
}

const NO_SESSIONS: StateSessions = { list: () => [], end: () => {} };

export class TerminalState {
  readonly name = "TerminalState";
  providerName: string | null;
  bash: { cropOutput: number; timeoutSeconds: number };
  persistent: OutputWaitOptions;
  readonly #initial: SerializedTerminalState;
  readonly #sessions: StateSessions;

  constructor(initial: SerializedTerminalState, sessions: StateSessions = NO_SESSIONS) {
    this.#initial = structuredClone(initial);
    this.#sessions = sessions;
    const { providerName, bash, persistent } = structuredClone(initial);
    this.providerName = providerName;
    this.bash = bash;
    this.persistent = persistent;
  }

  /** Sessions whose end was not reported yet. */
  get sessions(): TerminalStateSession[] {
    return this.#sessions.list();
  }

  reset(what: ResetWhat[]): void {
    if (what.some((one) => ENDS_SESSIONS.has(one))) this.#sessions.end();
    if (what.some((one) => UNDOES_SETTINGS.has(one))) this.deserialize(this.#initial);
  }

  /** Returns the settings only: sessions end with their processes. */
  serialize(): SerializedTerminalState {
    const { providerName, bash, persistent } = this;
    return structuredClone({ providerName, bash, persistent });
  }

  /** Restores settings. Throws if they are invalid, and changes nothing then. */
  deserialize(data: SerializedTerminalState): void {
    const { providerName, bash, persistent } = structuredClone(parseState(data));
    this.providerName = providerName;
    this.bash = bash;
    this.persistent = persistent;
  }

  /** Returns the state as lines for people. */
  show(): string[] {
    const { minInterval, settleInterval, maxInterval } = this.persistent;
    const ids = this.sessions.map(({ id }) => id).join(", ");
    return [
      `Provider: ${this.providerName ?? "(none)"}`,
      `Bash: ${this.bash.timeoutSeconds} s, ${this.bash.cropOutput} characters of output`,
      `Sessions wait: at least ${minInterval} s, until quiet for ${settleInterval} s, at most ${maxInterval} s`,
      `Sessions: ${ids || "(none)"}`,
    ];
  }
}
