// Owns the types of `pairpty/service`. Imports nothing, so that its declarations need no other
// package's.

/** Isolation of a command. */
export type TerminalIsolationLevel = "none" | "sandbox" | "container";

export type CommandSafetyLevel = "safe" | "unknown" | "dangerous";

export interface ExecuteCommandOptions {
  /** Standard input of the command, closed afterwards. */
  input?: string;
  /** Time after which the command and everything it started is killed. */
  timeoutSeconds: number;
  /** Variables to add; undefined removes one. */
  env?: Record<string, string | undefined>;
  /** Default: the program's own folder. */
  workingDirectory?: string;
}

export type ExecuteCommandResult = {
  /** Whether it ran to its end with exit code 0. */
  ok: boolean;
  /** Both streams, in order of arrival. */
  output: string;
  /** 128 plus the signal's number if a signal ended it; -1 if nothing ran. */
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Why nothing ran, or why it was killed. */
  error?: string;
};

/** Seconds: minimum wait, quiet time after which it returns, maximum wait. */
export interface OutputWaitOptions {
  minInterval: number;
  settleInterval: number;
  maxInterval: number;
}

export interface InteractiveTerminalOutput {
  /** Output after the requested position. */
  output: string;
  /** Position for the next call, in bytes from the session's start. */
  newPosition: number;
  /** Whether the process has ended. */
  isComplete: boolean;
  exitCode?: number;
}

export interface SessionStatus {
  id: string;
  running: boolean;
  /** Unix milliseconds. */
  startTime: number;
  /** Bytes. */
  outputLength: number;
  exitCode?: number;
}

export interface TerminalProvider {
  executeCommand(
    command: string,
    args: string[],
    options: ExecuteCommandOptions,
  ): Promise<ExecuteCommandResult>;

  runScript(script: string, options: ExecuteCommandOptions): Promise<ExecuteCommandResult>;

  /** Starts a shell. Also used for commands if there is no `startCommandSession`. */
  startInteractiveSession(options: ExecuteCommandOptions): Promise<string>;

  sendInput(sessionId: string, input: string): Promise<void>;

  collectOutput(
    sessionId: string,
    fromPosition: number,
    waitOptions: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput>;

  terminateSession(sessionId: string): Promise<void>;

  getSessionStatus(sessionId: string): SessionStatus | null;

  getIsolationLevel(): TerminalIsolationLevel;

  /**
   * Starts a session of one command, complete when that ends. Optional: without it the command is
   * typed into a shell.
   */
  startCommandSession?(command: string, options: ExecuteCommandOptions): Promise<string>;

  /** Whether the provider asks people itself; the service then does not. */
  readonly asksPeople?: boolean;

  /** Ends everything that the provider started; called when the service stops. Optional. */
  close?(): Promise<void>;
}

/** The minimum that a provider must have. Calling any other method that it lacks is an error. */
export type PartialTerminalProvider = Pick<TerminalProvider, "executeCommand" | "runScript"> &
  Partial<TerminalProvider>;

/** A question to a person. */
export interface Confirmation {
  /** The complete question, ready to show. */
  readonly message: string;
  /** The command line that would run. */
  readonly command: string;
  readonly level: "unknown" | "dangerous";
  /** Reasons from the command policy. */
  readonly reasons: readonly string[];
  readonly workingDirectory: string;
  readonly isolation: TerminalIsolationLevel;
  /** An answer after this time counts as none. Null: no limit. */
  readonly timeoutSeconds: number | null;
}

/** An agent's own settings; the service's `agentDefaults` apply otherwise. */
export interface AgentTerminalConfig {
  provider?: string;
  bash?: { cropOutput?: number; timeoutSeconds?: number };
  persistent?: Partial<OutputWaitOptions>;
}

/** All that the service needs to know about an agent. */
export interface Agent {
  readonly id: string;
  /** Read when the agent is attached. */
  readonly config?: { readonly terminal?: AgentTerminalConfig };
  /** The service keeps its slice here, under `terminal`. */
  state?: Record<string, unknown>;
  /**
   * Asks a person; true means yes. Without it, only safe commands run. The agent's model must not
   * answer it.
   */
  confirm?(question: Confirmation): boolean | Promise<boolean>;
}

/** Parts of an agent's state to reset. */
export type ResetWhat = "chat" | "settings" | "all" | (string & {});

/** One of an agent's sessions in its state. */
export interface TerminalStateSession {
  readonly id: string;
  readonly command: string;
  /** Position up to which the agent has read, in bytes. */
  readonly position: number;
  readonly running: boolean;
  /** Unix milliseconds. */
  readonly startTime: number;
}

export interface SerializedTerminalState {
  providerName: string | null;
  bash: { cropOutput: number; timeoutSeconds: number };
  persistent: OutputWaitOptions;
}

/** A provider in `providers`, by name. */
export type ProviderConfig =
  | { type: "local" }
  | {
      type: "sandbox";
      network?: "none" | "host" | undefined;
      readable?: string[] | undefined;
    }
  | {
      type: "container";
      network?: "none" | "host" | undefined;
      image?: string | undefined;
      rootfs?: string | undefined;
    };

/** A provider that a program registers, by its name in `providers` or by its type. */
export interface RegisteredProviderConfig {
  type: string;
  [setting: string]: unknown;
}

/** Configuration of `new TerminalService`; everything has a default. */
export interface TerminalConfig {
  agentDefaults?: AgentTerminalConfig;
  providers?: Record<string, ProviderConfig | RegisteredProviderConfig>;
  safeCommands?: string[];
  dangerousCommands?: string[];
}

/** Options of the service that are not configuration. */
export interface ServiceOptions {
  /** Default folder of commands; the program's own folder if absent. */
  workingDirectory?: string;
  /** Variables that commands get although they look like secrets. */
  environment?: string[];
}

/** Which bridge to use, and the agent's name there. */
export interface BridgeOptions {
  /** Folder where pairpty runs; the program's own folder if absent. */
  folder?: string;
  /** Name that people see. The same name is the same agent, with the same sessions. */
  name?: string;
  /** Requested with each call. The bridge gives this or more, or refuses. */
  isolation?: TerminalIsolationLevel;
}

/** A tool's answer: text for the model, and fields for programs. */
export interface ToolResult {
  /** Description for the model. */
  readonly text: string;
  /** Additional notes, for the model too. */
  readonly notes: readonly string[];
  /** Whether nothing was done; `text` has the reason. A failed command is not an error. */
  readonly isError: boolean;
  /** Fields by tool: `output`, `position`, `id`, `complete`, `ok`, `exitCode`, `stdout`, `stderr`… */
  readonly [field: string]: unknown;
}

/** One tool for agents. */
export interface TerminalTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Runs the tool. The agent must be attached to a service. */
  execute(args: Readonly<Record<string, unknown>>, agent: Agent): Promise<ToolResult>;
}

/** All that the plugin needs to know about an application. */
export interface TerminalApp {
  addServices(service: TerminalServiceLike): void;
  /** Calls back with the service of that type, now or when it is registered. */
  waitForService?<Service>(
    type: abstract new (...args: never[]) => Service,
    callback: (service: Service) => void,
  ): void;
}

/** The service as an application sees it. */
export interface TerminalServiceLike {
  readonly name: string;
  readonly description: string;
  run(): void;
  attach(agent: Agent): void;
  stop(): Promise<void>;
}

/** A service that gives agents their tools. */
export interface ToolKeeper {
  addTools(tools: readonly TerminalTool[]): void;
}
