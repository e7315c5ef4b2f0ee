// Owns the requests of a connected coding agent: permissions, files and terminals, each checked
// against its session and rights, and audited. Sessions and turns are in connected-agent.ts.

import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { ClientOutput } from "../agents/client-terminals.ts";
import type { Caller } from "../callers/caller.ts";
import { toAuditName } from "../callers/caller.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import type { ConnectedAgentDeps } from "./connected-agent-ports.ts";
import type { AgentSession } from "./session-table.ts";
import { requestPermission } from "./permission-requests.ts";
import { parseCommand, assertCommandFits, areVariablesHarmless } from "./agent-command.ts";
import type { Conversation } from "./conversation.ts";
import { Failure } from "./agent-ports.ts";
import type { PermissionOption } from "./permission-requests.ts";
import type {
  AgentRequestHandler,
  CreateTerminalRequest,
  PermissionAnswer,
} from "./agent-ports.ts";
import type { ToolCall, ToolPatch } from "./tool-call.ts";
import { toToolPatch } from "./tool-call.ts";

/** The agent that sends the requests. */
export interface RequestingAgent {
  readonly caller: Caller;
  readonly label: string;
  readonly isolation: Isolation;
  /** Returns the session. Throws a Failure if there is none, or the agent's grant has ended. */
  getSession(id: string): AgentSession;
  holds(conversation: Conversation): boolean;
  /** Replaces the agent's terminal ids by the room's. */
  withRoomTerminalIds(conversation: Conversation, patch: ToolPatch): ToolPatch;
  update(session: string, update: unknown): void;
}

export type AgentRequestsDeps = Pick<
  ConnectedAgentDeps,
  "terminals" | "files" | "approvals" | "judge" | "audit"
>;

export class AgentRequests implements AgentRequestHandler {
  readonly #agent: RequestingAgent;
  readonly #deps: AgentRequestsDeps;

  constructor(agent: RequestingAgent, deps: AgentRequestsDeps) {
    this.#agent = agent;
    this.#deps = deps;
  }

  update(session: string, update: unknown): void {
    this.#agent.update(session, update);
  }

  async requestPermission(
    sessionId: string,
    call: ToolCall,
    options: readonly PermissionOption[],
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const session = this.#agent.getSession(sessionId);
    const { conversation, allowedCommands } = session;
    const patch = toToolPatch(call);
    conversation.apply({
      event: "tool",
      patch: this.#agent.withRoomTerminalIds(conversation, patch),
    });
    const subject = this.#addSubject(session);
    try {
      const answer = await requestPermission(this.#deps, {
        caller: this.#agent.caller,
        label: this.#agent.label,
        call,
        patch,
        options,
        cwd: conversation.facts.cwd,
        isolation: this.#agent.isolation,
        subject,
        signal,
        allowedCommands,
        onPending: (approval) =>
          conversation.apply({ event: "asked", approval, title: patch.title ?? "" }),
        onSettled: (approval, outcome) =>
          conversation.apply({ event: "answered", approval, outcome }),
      });
      const outcome = answer === "cancelled" ? answer : answer.option;
      this.#audit(
        "session/request_permission",
        { title: patch.title, input: patch.input },
        outcome,
      );
      return signal.aborted ? "cancelled" : answer;
    } catch (error) {
      this.#auditFailure("session/request_permission", { title: patch.title }, error);
      throw error;
    } finally {
      this.#endSubject(session, subject);
    }
  }

  async readFile(sessionId: string, path: string, line?: number, limit?: number): Promise<string> {
    this.#agent.getSession(sessionId);
    this.#assertScope("read");
    try {
      const text = await this.#deps.files.read(path, line, limit);
      this.#audit("fs/read_text_file", { path }, "ok");
      return text;
    } catch (error) {
      this.#auditFailure("fs/read_text_file", { path }, error);
      throw error;
    }
  }

  async writeFile(
    sessionId: string,
    path: string,
    content: string,
    signal: AbortSignal,
  ): Promise<void> {
    const session = this.#agent.getSession(sessionId);
    const { conversation } = session;
    this.#assertScope("spawn");
    const subject = this.#addSubject(session);
    const args = { path, bytes: Buffer.byteLength(content) };
    let approval: string | undefined;
    try {
      await this.#deps.files.write(path, content, {
        caller: this.#agent.caller,
        isolation: this.#agent.isolation,
        subject,
        signal,
        onPending: (id) => {
          approval = id;
          conversation.apply({ event: "asked", approval: id, title: `Write ${path}` });
        },
        onSettled: (outcome) => {
          if (approval !== undefined) conversation.apply({ event: "answered", approval, outcome });
        },
      });
      this.#audit("fs/write_text_file", args, "ok");
    } catch (error) {
      this.#auditFailure("fs/write_text_file", args, error);
      throw error;
    } finally {
      this.#endSubject(session, subject);
    }
  }

  async createTerminal(
    sessionId: string,
    request: CreateTerminalRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const session = this.#agent.getSession(sessionId);
    const { conversation } = session;
    this.#assertScope("spawn");
    const cwd = request.cwd ?? conversation.facts.cwd;
    if (!isAbsolute(cwd)) throw new Failure("invalid", `cwd must be absolute: ${cwd}`);
    const variables = request.env.map(({ name, value }) => `${name}=${value}`);
    assertCommandFits(request.command, request.args, variables);
    const command = parseCommand(request.command, request.args);
    const env = Object.fromEntries(request.env.map(({ name, value }) => [name, value]));
    const subject = this.#addSubject(session);
    const args = { command: command.line ?? command.command, cwd };
    try {
      const created = await this.#deps.terminals.create(
        this.#agent.caller,
        {
          ...command,
          conversation: conversation.id,
          cwd,
          env,
          isolation: this.#agent.isolation,
          outputByteLimit: request.outputByteLimit,
        },
        {
          signal,
          subject,
          isAllowed: (plan) =>
            areVariablesHarmless(plan.added, command) &&
            this.#variablesAreHarmless(plan) &&
            session.allowedCommands.take(command, plan.cwd),
        },
      );
      if (created.ok && (signal.aborted || !this.#agent.holds(conversation))) {
        await this.#deps.terminals.release(this.#agent.caller, conversation.id, created.value);
      }
      if (signal.aborted) throw new Failure("cancelled", "terminal/create was cancelled");
      if (!created.ok) {
        const { error, hint, retryAfterMs } = created;
        const sentence = hint === undefined ? error : `${error}: ${hint}`;
        throw new Failure("refused", sentence, retryAfterMs);
      }
      this.#audit("terminal/create", args, "ok", created.value);
      return created.value;
    } catch (error) {
      this.#auditFailure("terminal/create", args, error);
      throw error;
    } finally {
      this.#endSubject(session, subject);
    }
  }

  async getOutput(
    sessionId: string,
    terminal: string,
  ): Promise<ClientOutput & { exit: Exit | undefined }> {
    const { conversation } = this.#agent.getSession(sessionId);
    const read = await this.#deps.terminals.readOutput(
      this.#agent.caller,
      conversation.id,
      terminal,
    );
    return read ?? throwNoTerminal(terminal);
  }

  async waitForExit(sessionId: string, terminal: string, signal: AbortSignal): Promise<Exit> {
    const { conversation } = this.#agent.getSession(sessionId);
    const { terminals } = this.#deps;
    const exit = await terminals.waitForExit(this.#agent.caller, conversation.id, terminal, signal);
    if (exit === "cancelled")
      throw new Failure("cancelled", "terminal/wait_for_exit was cancelled");
    return exit ?? throwNoTerminal(terminal);
  }

  async kill(sessionId: string, terminal: string): Promise<void> {
    const { conversation } = this.#agent.getSession(sessionId);
    const isThere = await this.#deps.terminals.kill(this.#agent.caller, conversation.id, terminal);
    if (!isThere) throwNoTerminal(terminal);
    this.#audit("terminal/kill", {}, "ok", terminal);
  }

  async release(sessionId: string, terminal: string): Promise<void> {
    const { conversation } = this.#agent.getSession(sessionId);
    const isThere = await this.#deps.terminals.release(
      this.#agent.caller,
      conversation.id,
      terminal,
    );
    if (!isThere) throwNoTerminal(terminal);
  }

  /** Whether the added variables do not change the policy's judgement. */
  #variablesAreHarmless({ command, line, input, cwd, added }: SpawnPlan): boolean {
    if (Object.keys(added).length === 0) return true;
    const draft = { command, line, input, cwd };
    const [withThem, without] = [added, {}].map((variables) =>
      JSON.stringify(this.#deps.judge({ ...draft, added: variables })),
    );
    return withThem === without;
  }

  #assertScope(scope: "read" | "spawn"): void {
    if (this.#agent.caller.grant()?.scopes.includes(scope) === true) return;
    throw new Failure("refused", `This token does not have the scope ${scope}`);
  }

  #addSubject({ conversation, questions }: AgentSession): string {
    const subject = `${conversation.id} ${randomUUID()}`;
    questions.add(subject);
    return subject;
  }

  /** Withdraws the approval when its request is over. */
  #endSubject({ questions }: AgentSession, subject: string): void {
    questions.delete(subject);
    this.#deps.approvals.onSubjectEnded(subject);
  }

  #audit(tool: string, args: object, outcome: string, terminal?: string): void {
    this.#deps.audit.write({
      event: "call",
      ...toAuditName(this.#agent.caller),
      tool,
      arguments: args,
      outcome,
      ...(terminal === undefined ? {} : { terminal }),
    });
  }

  #auditFailure(tool: string, args: object, error: unknown): void {
    this.#audit(tool, args, error instanceof Failure ? error.message : "fault");
  }
}

function throwNoTerminal(id: string): never {
  throw new Failure("not_found", `No such terminal: ${id}`);
}
