// Owns the provider that passes everything to the folder's running bridge: it connects to
// `mcp.sock` as a local agent, so that people see what runs and answer approvals. The bridge's
// rules apply.

import { join } from "node:path";
import { PROCESS_TAG_ENV } from "../sweep.ts";
import { findExistingFolders, locateFolders } from "../workspace/folders.ts";
import { BridgeCommands, BridgeSessions } from "./bridge-sessions.ts";
import { McpClient } from "./mcp-client.ts";
import type { CallTool, ToolCallResult } from "./mcp-client.ts";
import type {
  BridgeOptions,
  ExecuteCommandOptions,
  ExecuteCommandResult,
  InteractiveTerminalOutput,
  OutputWaitOptions,
  SessionStatus,
  TerminalIsolationLevel,
  TerminalProvider,
  ToolResult,
} from "./types.ts";
import { parseCommandText, formatLine } from "./service-command.ts";

const DEFAULT_NAME = "pairpty-service";

/** The bridge's error while an approval is open [Q6]. */
const STILL_OPEN = /approval \S+ is open; make the same call again/;

/** Runs `$SHELL`, else bash, else sh, in the bridge's isolation: a container may have no bash. */
const USER_SHELL = 'command -v "${SHELL:-bash}" >/dev/null || exec sh; exec "${SHELL:-bash}"';

export class BridgeProvider implements TerminalProvider {
  readonly asksPeople = true;
  readonly #options: BridgeOptions;
  readonly #commands: BridgeCommands;
  readonly #sessions: BridgeSessions;
  #client: Promise<McpClient> | undefined;
  #isClosed = false;

  /** Connects on first use. */
  constructor(options: BridgeOptions = {}) {
    this.#options = options;
    const call: CallTool = (tool, args) => this.#call(tool, args);
    this.#commands = new BridgeCommands(call, options.isolation);
    this.#sessions = new BridgeSessions(call, options.isolation);
  }

  async executeCommand(
    command: string,
    args: string[],
    options: ExecuteCommandOptions,
  ): Promise<ExecuteCommandResult> {
    return await this.#commands.run(formatLine(parseCommandText(command, args)), options);
  }

  async runScript(script: string, options: ExecuteCommandOptions): Promise<ExecuteCommandResult> {
    return await this.#commands.run(script, options);
  }

  async startInteractiveSession(options: ExecuteCommandOptions): Promise<string> {
    return await this.#sessions.start(USER_SHELL, options);
  }

  async startCommandSession(command: string, options: ExecuteCommandOptions): Promise<string> {
    return await this.#sessions.start(command, options);
  }

  async sendInput(sessionId: string, input: string): Promise<void> {
    await this.#sessions.send(sessionId, input);
  }

  /** Collects output. The bridge's own intervals apply; a `maxInterval` of 0 does not wait. */
  async collectOutput(
    sessionId: string,
    fromPosition: number,
    waitOptions: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput> {
    return await this.#sessions.collect(sessionId, fromPosition, waitOptions);
  }

  async terminateSession(sessionId: string): Promise<void> {
    await this.#sessions.stop(sessionId);
  }

  /** Returns the status from the last answer. */
  getSessionStatus(sessionId: string): SessionStatus | null {
    return this.#sessions.status(sessionId);
  }

  /** Returns the isolation requested with each call; the bridge gives that or more, or refuses. */
  getIsolationLevel(): TerminalIsolationLevel {
    return this.#options.isolation ?? "none";
  }

  /** Calls one of the bridge's own tools for its agent. */
  async callTool(name: string, args: object): Promise<ToolResult> {
    const { text, structured, isError } = await this.#call(name, args);
    return { ...structured, text, notes: [], isError, ...(isError ? { error: text } : {}) };
  }

  /** Ends the sessions that it started, and disconnects. */
  async close(): Promise<void> {
    if (this.#client !== undefined) await this.#sessions.stopAll();
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    client?.close();
  }

  async #call(tool: string, args: object): Promise<ToolCallResult> {
    for (;;) {
      const client = await this.#connected();
      const answer = await client.call(tool, args);
      if (!answer.isError || !STILL_OPEN.test(answer.text)) return answer;
    }
  }

  async #connected(): Promise<McpClient> {
    if (this.#isClosed) throw new Error("The terminal service was stopped");
    const living = await this.#client?.catch(() => undefined);
    if (living?.isOpen === true) return living;
    this.#client = this.#connect();
    return await this.#client;
  }

  async #connect(): Promise<McpClient> {
    const { folder = process.cwd(), name = DEFAULT_NAME } = this.#options;
    if (process.env[PROCESS_TAG_ENV] !== undefined) {
      throw new Error("A program inside a pairpty terminal cannot be an agent of its bridge");
    }
    const folders = findExistingFolders("runtime", folder);
    const none = `pairpty is not running in ${locateFolders(folder).folder}: start it there, then try again`;
    if (folders === undefined) throw new Error(none);
    return await McpClient.connect(join(folders.runtime, "mcp.sock"), name).catch(
      (error: unknown) => {
        throw new Error(none, { cause: error });
      },
    );
  }
}
