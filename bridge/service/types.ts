// Owns the words of `pairpty/service`: seed 004's types, and what a program must bring. It imports
// nothing, so that its declarations need no other package's.

/** How thick the wall around a command is. */
export type TerminalIsolationLevel = "none" | "sandbox" | "container";

export type CommandSafetyLevel = "safe" | "unknown" | "dangerous";

export interface ExecuteCommandOptions {
  /** Written to the command's standard input, which then ends. */
  input?: string;
  /** After this long the command and everything that it started is ended. */
  timeoutSeconds: number;
  /** Variables to add; undefined takes one away. */
  env?: Record<string, string | undefined>;
  /** The program's own folder without it. */
  workingDirectory?: string;
}

export type ExecuteCommandResult = {
  /** It ran to its end, and its exit code is 0. */
  ok: boolean;
  /** Both streams, in the order in which they came. */
  output: string;
  /** 128 and the signal's number if a signal ended it; -1 if nothing ran. */
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Why nothing ran, or why it was ended. */
  error?: string;
};

/** In seconds: at least, until it is quiet for so long, at most. */
export interface OutputWaitOptions {
  minInterval: number;
  settleInterval: number;
  maxInterval: number;
}

export interface InteractiveTerminalOutput {
  /** What came after the position that was asked for. */
  output: string;
  /** In bytes from the session's beginning: ask from here next time. */
  newPosition: number;
  /** The process has ended. */
  isComplete: boolean;
  exitCode?: number;
}

export interface SessionStatus {
  id: string;
  running: boolean;
  /** Unix milliseconds. */
  startTime: number;
  /** In bytes. */
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

  /** A shell, if the provider has no `startCommandSession`. */
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
   * Not the seed's: a session that is one command, and complete when that has ended. Without it
   * the command is typed into a shell.
   */
  startCommandSession?(command: string, options: ExecuteCommandOptions): Promise<string>;

  /** Not the seed's: it asks people itself, so the service asks nobody. */
  readonly asksPeople?: boolean;

  /** Not the seed's: ends everything that it started. The service calls it when it stops. */
  close?(): Promise<void>;
}

/** The seed's example of a provider has these two only. Whatever else is called of it is an error. */
export type PartialTerminalProvider = Pick<TerminalProvider, "executeCommand" | "runScript"> &
  Partial<TerminalProvider>;

/** What a person is asked. */
export interface Confirmation {
  /** The whole question, ready to be shown. */
  readonly message: string;
  /** The line or words that would run. */
  readonly command: string;
  readonly level: "unknown" | "dangerous";
  /** What the command policy found. */
  readonly reasons: readonly string[];
  readonly workingDirectory: string;
  readonly isolation: TerminalIsolationLevel;
  /** An answer after this long is none. Null: it waits for one. */
  readonly timeoutSeconds: number | null;
}

/** An agent's own settings. What it does not say is the service's `agentDefaults`. */
export interface AgentTerminalConfig {
  provider?: string;
  bash?: { cropOutput?: number; timeoutSeconds?: number };
  persistent?: Partial<OutputWaitOptions>;
}

/** All that the service needs to know of an agent. */
export interface Agent {
  readonly id: string;
  /** Read when the service is attached. */
  readonly config?: { readonly terminal?: AgentTerminalConfig };
  /** The service keeps its slice here, under `terminal`. */
  state?: Record<string, unknown>;
  /**
   * Asks a person, and is true for a yes. Without it, what is not safe does not run. It must not
   * be answered by the agent's model.
   */
  confirm?(question: Confirmation): boolean | Promise<boolean>;
}

/** Which parts of an agent's state begin anew. */
export type ResetWhat = "chat" | "settings" | "all" | (string & {});

/** One of an agent's sessions, as its state has it. */
export interface TerminalStateSession {
  readonly id: string;
  readonly command: string;
  /** Up to where the agent has read, in bytes. */
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

/** The seed's `providers`: by name. */
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

/** A provider that a program registers: by its name in `providers`, or by its type. */
export interface RegisteredProviderConfig {
  type: string;
  [setting: string]: unknown;
}

/** What `new TerminalService` takes, in the seed's form; everything has the seed's default. */
export interface TerminalConfig {
  agentDefaults?: AgentTerminalConfig;
  providers?: Record<string, ProviderConfig | RegisteredProviderConfig>;
  safeCommands?: string[];
  dangerousCommands?: string[];
}

/** Where the service stands. */
export interface ServiceOptions {
  /** Commands run here unless they say; the program's own folder without it. */
  workingDirectory?: string;
  /** Variables that commands get though they look like secrets. */
  environment?: string[];
}

/** Which bridge, and as whom. */
export interface BridgeOptions {
  /** Where pairpty runs; the program's own folder without it. */
  folder?: string;
  /** What people see it called. The same name is the same agent, with the same sessions. */
  name?: string;
  /** Asked for with each call. The bridge gives this or more, or refuses. */
  isolation?: TerminalIsolationLevel;
}

/** What a tool answers: the seed's text, and its fields for programs. */
export interface ToolResult {
  /** For the model. */
  readonly text: string;
  /** What the seed's form has no place for, for the model too. */
  readonly notes: readonly string[];
  /** Nothing was done; `text` says why. A command that failed is no error. */
  readonly isError: boolean;
  /** By tool: `output`, `position`, `id`, `complete`, `ok`, `exitCode`, `stdout`, `stderr`… */
  readonly [field: string]: unknown;
}

/** One tool for agents. */
export interface TerminalTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The agent must have been attached to a service. */
  execute(args: Readonly<Record<string, unknown>>, agent: Agent): Promise<ToolResult>;
}

/** All that the plugin needs to know of an application. */
export interface TerminalApp {
  addServices(service: TerminalServiceLike): void;
  /** Calls back with the service of that type, now or when it is there. */
  waitForService?<Service>(
    type: abstract new (...args: never[]) => Service,
    callback: (service: Service) => void,
  ): void;
}

/** What an application knows of a service. */
export interface TerminalServiceLike {
  readonly name: string;
  readonly description: string;
  run(): void;
  attach(agent: Agent): void;
  stop(): Promise<void>;
}

/** Whoever gives agents their tools. */
export interface ToolKeeper {
  addTools(tools: readonly TerminalTool[]): void;
}
