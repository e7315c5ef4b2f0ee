// Owns the interfaces between conversations and the agents' dialect and doors: calls to an agent,
// requests from it, and why a request failed. Independent of JSON-RPC, sockets and processes.

import type { Stream } from "@agentclientprotocol/sdk";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { ClientOutput } from "../agents/client-terminals.ts";
import type { Caller } from "../callers/caller.ts";
import type { PermissionOption } from "./permission-requests.ts";
import type { Modes } from "./update-parser.ts";
import type { ToolCall } from "./tool-call.ts";

/** A coding agent that has connected, in any way. */
export interface AgentWire {
  /** stdio: `pairpty agent` on this machine. socket: through the relay. */
  readonly via: "stdio" | "socket";
  readonly stream: Stream;
  /** Absolute path where its sessions start. */
  readonly folder: string;
  /** Minimum isolation of what it creates. */
  readonly isolation: Isolation;
  /** `--prompt`: one turn, without a page. */
  readonly prompt?: string | undefined;
  /** Receives the text of the agent's messages as it arrives, for `pairpty agent` to print. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Fires once with the outcome of `prompt`'s turn (ACP's stop reason), or why there was none. */
  readonly onTurnEnded?: ((outcome: TurnOutcome) => void) | undefined;
  /** Whether the agent can start `pairpty mcp` on this machine. */
  readonly isLocal: boolean;
  /** Resolves when the agent has read most of what it was sent, or is gone. */
  waitForDrain(): Promise<void>;
  /** Closes the connection with a message. */
  close(message: string): void;
}

export type TurnOutcome = { readonly reason: string } | { readonly error: string };

/** Receives agents from doors. */
export interface AgentsHost {
  /** Serves an agent; returns a function to call with the reason when the connection closes. */
  serve(caller: Caller, wire: AgentWire): (why?: string) => void;
}

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

export type FailureKind =
  /** Invalid parameters. */
  | "invalid"
  /** The session, terminal or file does not exist, or no longer. */
  | "not_found"
  /** Refused by the policy, a person, a limit or a missing right. */
  | "refused"
  /** The user has disabled it. */
  | "off"
  /** The request was cancelled. */
  | "cancelled";

export class Failure extends Error {
  override readonly name = "Failure";
  readonly kind: FailureKind;
  /** Milliseconds after which a retry may succeed. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
