// Owns `TerminalService`: its providers, which agent uses which, and running commands through the
// pipeline. Sessions for agents are in service-tools.ts.

import { createLog } from "../log.ts";
import { toServiceLists } from "../policy/command-lists.ts";
import { judgeShell } from "../policy/policy.ts";
import { findUserShell } from "../terminals/program-lookup.ts";
import { locateFolders, getOwnPaths } from "../workspace/folders.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import { SessionTools } from "../sessions/session-tools.ts";
import { attachTools, detachTools } from "./attached-agents.ts";
import { ServiceBackend } from "./service-backend.ts";
import type { CommandText } from "./service-command.ts";
import {
  parseCompoundCommand,
  parseCommandText,
  isEmpty,
  failedResult,
} from "./service-command.ts";
import type { ServiceConfig } from "./service-config.ts";
import { parseAgentConfig, parseServiceConfig, parseState } from "./service-config.ts";
import { customRunner, startCustom, completeProvider } from "./custom-provider.ts";
import type { JobDeps } from "./service-job.ts";
import { runJob, ConcurrencyLimits } from "./service-job.ts";
import { splitEnvironment, createIsolation } from "./local-plan.ts";
import { toInput, LocalProvider } from "./local-provider.ts";
import { KeyedRegistry } from "./keyed-registry.ts";
import type { StateSessions } from "./terminal-state.ts";
import { TerminalState } from "./terminal-state.ts";
import type {
  Agent,
  CommandSafetyLevel,
  ExecuteCommandOptions,
  ExecuteCommandResult,
  PartialTerminalProvider,
  SerializedTerminalState,
  ServiceOptions,
  TerminalConfig,
  TerminalProvider,
} from "./types.ts";

/** Default timeout for programs, which know what they start; the tool has its own. */
export const EXECUTE_SECONDS = 120;
/** One day. */
const MAX_SECONDS = 86_400;

const STATE_KEY = "terminal";

export class TerminalService {
  readonly name = "TerminalService";
  readonly description = "Terminal and shell command execution service";
  readonly terminalProviderRegistry = new KeyedRegistry<TerminalProvider>("terminal provider");
  readonly #config: ServiceConfig;
  readonly #folder: string;
  readonly #deps: JobDeps;
  /** Attached agents, by id. */
  readonly #agents = new Map<string, Agent>();
  readonly #registry = new SessionRegistry();
  readonly #tools: SessionTools<Agent>;
  #isStopped = false;

  /** Throws if the configuration is invalid. Starts nothing. */
  constructor(config: TerminalConfig = {}, options: ServiceOptions = {}) {
    this.#config = parseServiceConfig(config);
    const folders = locateFolders(options.workingDirectory ?? process.cwd());
    const { folder } = folders;
    this.#folder = folder;
    const shell = findUserShell(process.env, folder);
    const letThrough = new Set(options.environment ?? []);
    const log = createLog("silent", () => {});
    for (const [name, provider] of Object.entries(this.#config.providers)) {
      const isolation = createIsolation(provider, { folders, shell, envAllowlist: letThrough });
      const { env: environment } = process;
      const local = new LocalProvider({
        folder,
        shell,
        environment,
        envAllowlist: letThrough,
        log,
        providerIsolation: isolation,
      });
      this.terminalProviderRegistry.register(name, local);
    }
    this.#deps = {
      policy: { lists: toServiceLists(this.#config.lists), ...getOwnPaths(folders) },
      limits: new ConcurrencyLimits(),
      isAttached: ({ id }) => !this.#isStopped && this.#agents.has(id),
    };
    const backend = new ServiceBackend({
      jobs: this.#deps,
      registry: this.#registry,
      folder,
      getProvider: (agent) => this.requireActiveTerminal(agent),
      getState: (agent) => this.stateOf(agent),
      findAgent: (id) => this.#agents.get(id),
    });
    this.#tools = new SessionTools(backend, this.#registry);
  }

  /** Returns the configured default. Throws if no provider has its name. */
  get defaultProvider(): TerminalProvider {
    return this.requireTerminalProviderByName(this.#config.provider);
  }

  /**
   * Checks that the default provider exists; throws otherwise. The application calls it at startup.
   */
  run(): void {
    void this.defaultProvider;
  }

  /** Gives the agent its slice of state: the service's defaults and the agent's own settings. */
  attach(agent: Agent): void {
    if (this.#isStopped) throw new Error("The terminal service was stopped");
    const { provider, defaults } = parseAgentConfig(agent.config?.terminal ?? {}, this.#config);
    const initial = structuredClone({ providerName: provider, ...defaults });
    const state = new TerminalState(initial, this.#getSessions(agent));
    agent.state ??= {};
    // The serialized state of an earlier run is stored under the same key.
    const kept = agent.state[STATE_KEY];
    if (kept !== undefined) state.deserialize(toStoredState(kept));
    agent.state[STATE_KEY] = state;
    this.#agents.set(agent.id, agent);
    attachTools(agent, {
      tools: this.#tools,
      provider: () => this.requireActiveTerminal(agent),
    });
  }

  /** Ends the agent's sessions and forgets it. */
  detach(agent: Agent): void {
    this.#agents.delete(agent.id);
    detachTools(agent, this.#tools);
    const state = agent.state?.[STATE_KEY];
    if (state instanceof TerminalState) state.reset(["chat"]);
  }

  async executeCommand(
    command: string,
    args: string[],
    options: Partial<ExecuteCommandOptions>,
    agent: Agent,
  ): Promise<ExecuteCommandResult> {
    const run: Call = (provider, whole) => provider.executeCommand(command, args, whole);
    return await this.#execute(
      parseCommandText(command, args),
      run,
      options,
      agent,
      "executeCommand",
    );
  }

  async runScript(
    script: string,
    options: Partial<ExecuteCommandOptions>,
    agent: Agent,
  ): Promise<ExecuteCommandResult> {
    const run: Call = (provider, whole) => provider.runScript(script, whole);
    return await this.#execute({ kind: "line", line: script }, run, options, agent, "runScript");
  }

  /** Returns the safety level of a shell line. Approvals are at least as strict. */
  getCommandSafetyLevel(shellString: string): CommandSafetyLevel {
    return judgeShell(shellString, this.#deps.policy).level;
  }

  parseCompoundCommand(command: string): string[] {
    return parseCompoundCommand(command);
  }

  requireActiveTerminal(agent: Agent): TerminalProvider {
    const { providerName } = this.stateOf(agent);
    if (providerName === null) throw new Error(`No terminal provider is set for ${agent.id}`);
    return this.requireTerminalProviderByName(providerName);
  }

  setActiveTerminal(providerName: string, agent: Agent): void {
    this.requireTerminalProviderByName(providerName);
    this.stateOf(agent).providerName = providerName;
  }

  /** Registers a provider, which may lack sessions; missing methods throw when called. */
  registerTerminalProvider(name: string, provider: PartialTerminalProvider): void {
    this.terminalProviderRegistry.register(name, completeProvider(name, provider));
  }

  /** Returns the provider registered by this name, else by its configured type; throws if none. */
  requireTerminalProviderByName(name: string): TerminalProvider {
    const registry = this.terminalProviderRegistry;
    const type = this.#config.registeredTypes.get(name);
    if (registry.getItemByName(name) !== undefined || type === undefined) {
      return registry.requireItemByName(name);
    }
    const provider = registry.getItemByName(type);
    if (provider !== undefined) return provider;
    throw new Error(
      `The terminal provider "${name}" has the type "${type}", but no such provider is registered: ` +
        `call registerTerminalProvider("${name}", …) or registerTerminalProvider("${type}", …).`,
    );
  }

  /** Returns the agent's slice; attaches an agent that is not attached yet. */
  stateOf(agent: Agent): TerminalState {
    if (this.#agents.get(agent.id) !== agent) this.attach(agent);
    const state = agent.state?.[STATE_KEY];
    if (!(state instanceof TerminalState)) throw new Error(`${agent.id} has lost its state`);
    return state;
  }

  /** Ends everything that the service started. It cannot be used afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const agent of this.#agents.values()) detachTools(agent, this.#tools);
    this.#agents.clear();
    // If a session cannot be ended, closing its provider reports it below.
    await this.#registry.end(() => true).catch(() => {});
    const providers = new Set(this.terminalProviderRegistry.getAllItemValues());
    const closed = Array.from(providers, async (provider) => provider.close?.());
    // A failing provider must not keep the others from closing.
    const failures = (await Promise.allSettled(closed)).flatMap((end) =>
      end.status === "rejected" ? [end.reason] : [],
    );
    if (failures.length > 0) throw new AggregateError(failures, "some providers failed to close");
  }

  #getSessions({ id }: Agent): StateSessions {
    return {
      list: () =>
        this.#registry.list(id).map((session) => ({
          id: session.id,
          command: session.command,
          position: session.position,
          running: session.target.exit() === undefined,
          startTime: session.startedAt,
        })),
      // Not awaited: a program that resets a chat does not wait for it.
      end: () => void this.#registry.end(({ owner }) => owner === id).catch(() => {}),
    };
  }

  async #execute(
    text: CommandText,
    call: Call,
    options: Partial<ExecuteCommandOptions>,
    agent: Agent,
    via: string,
  ): Promise<ExecuteCommandResult> {
    const provider = this.requireActiveTerminal(agent);
    const whole = { timeoutSeconds: EXECUTE_SECONDS, ...options };
    const problem = isEmpty(text) ? "The command is empty" : findOptionProblem(whole);
    if (problem !== undefined) return failedResult(problem);
    if (provider.asksPeople === true) return await call(provider, whole);
    const foreign = () => startCustom(() => call(provider, whole));
    const level = provider.getIsolationLevel();
    const runner =
      provider instanceof LocalProvider
        ? provider.commandRunner(whole)
        : customRunner(foreign, () => {}, level, this.#folder);
    const { added } = splitEnvironment(whole.env);
    const { workingDirectory } = whole;
    const [lane, input] = ["command", toInput(whole)] as const;
    const job = { agent, via, text, lane, workingDirectory, added, input, runner };
    const started = await runJob(job, this.#deps);
    if (!started.ok) return failedResult(started.error);
    try {
      return await started.value.result();
    } finally {
      this.#deps.limits.release("command");
    }
  }
}

/** Returns the settings from another service's slice, or from serialized data. */
function toStoredState(kept: unknown): SerializedTerminalState {
  return kept instanceof TerminalState ? kept.serialize() : parseState(kept);
}

function findOptionProblem({ timeoutSeconds, input }: ExecuteCommandOptions): string | undefined {
  if (!(timeoutSeconds > 0) || timeoutSeconds > MAX_SECONDS) {
    return `timeoutSeconds is ${timeoutSeconds}; it must be above 0 and at most ${MAX_SECONDS}`;
  }
  if (input !== undefined && typeof input !== "string") return "input must be a string";
  return undefined;
}

type Call = (
  provider: TerminalProvider,
  options: ExecuteCommandOptions,
) => Promise<ExecuteCommandResult>;
