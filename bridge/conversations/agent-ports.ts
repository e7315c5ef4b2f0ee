// Owns the interfaces between conversations and the agents' dialect: calls to an agent, and
// requests from it. Independent of JSON-RPC; errors are Failures.

import type { Exit } from "../../protocol/terminal.ts";
import type { ClientOutput } from "../agents/client-terminals.ts";
import type { PermissionOption } from "./permission-options.ts";
import type { Modes, ToolCall } from "./update-parser.ts";

/** An MCP server offered to a session, in the protocol's form. */
export type ToolServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value: string }[];
    }
  | {
      readonly type: "http";
      readonly name: string;
      readonly url: string;
      readonly headers: readonly { readonly name: string; readonly value: string }[];
    };

/** An agent's answer to `initialize`. */
export interface AgentInfo {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly canLoad: boolean;
  readonly canClose: boolean;
  readonly takesHttp: boolean;
  /** Ways to log in, in the agent's words. */
  readonly logins: readonly string[];
}

export interface OpenedSession {
  readonly session: string;
  readonly modes: Modes | undefined;
}

/** Calls to the agent. All throw an AgentFault if the agent fails. */
export interface AgentPort {
  initialize(): Promise<AgentInfo>;
  openSession(cwd: string, servers: readonly ToolServer[]): Promise<OpenedSession>;
  loadSession(session: string, cwd: string, servers: readonly ToolServer[]): Promise<OpenedSession>;
  /** Resolves with the reason why the turn ended. */
  prompt(session: string, text: string): Promise<string>;
  cancel(session: string): void;
  setMode(session: string, mode: string): Promise<void>;
  closeSession(session: string): Promise<void>;
  close(): void;
  readonly closed: Promise<void>;
}

export interface CreateTerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly cwd: string | undefined;
  readonly outputByteLimit: number | undefined;
}

/** `reason`: what the person who denied it wrote. */
export type PermissionAnswer =
  | { readonly option: string; readonly reason?: string | undefined }
  | "cancelled";

/** Requests from an agent. Each throws a Failure if it is refused. */
export interface AgentRequestHandler {
  update(session: string, update: unknown): void;
  requestPermission(
    session: string,
    call: ToolCall,
    options: readonly PermissionOption[],
    signal: AbortSignal,
  ): Promise<PermissionAnswer>;
  readFile(session: string, path: string, line?: number, limit?: number): Promise<string>;
  writeFile(session: string, path: string, content: string, signal: AbortSignal): Promise<void>;
  createTerminal(
    session: string,
    request: CreateTerminalRequest,
    signal: AbortSignal,
  ): Promise<string>;
  getOutput(session: string, terminal: string): Promise<ClientOutput & { exit: Exit | undefined }>;
  waitForExit(session: string, terminal: string, signal: AbortSignal): Promise<Exit>;
  kill(session: string, terminal: string): Promise<void>;
  release(session: string, terminal: string): Promise<void>;
}

/** Why an agent failed a call, as a message for people. */
export class AgentFault extends Error {
  override readonly name = "AgentFault";
  /** Whether the user must log in first. */
  readonly wantsLogin: boolean;

  constructor(message: string, wantsLogin = false) {
    super(message);
    this.wantsLogin = wantsLogin;
  }
}
