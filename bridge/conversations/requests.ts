// Owns the requests of a connected coding agent: permissions, files and terminals, each checked
// against its session and rights, and audited. Sessions and turns are in agent.ts.

import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { ClientOutput } from "../agents/client-output.ts";
import type { Caller } from "../callers/caller.ts";
import { who } from "../callers/caller.ts";
import type { SpawnPlan } from "../terminals/plan.ts";
import type { AgentParts, Session } from "./agent.ts";
import { askPermission } from "./asking.ts";
import { commandOf, mustFit } from "./command.ts";
import type { Conversation } from "./conversation.ts";
import { Failure } from "./failure.ts";
import type { PermissionOption } from "./options.ts";
import type { AgentCalls, CreateWish, PermissionAnswer } from "./ports.ts";
import { changesNothing } from "./spared.ts";
import type { ToolCall, ToolPatch } from "./updates.ts";
import { patchOf } from "./updates.ts";

/** The agent that sends the requests. */
export interface Asker {
  readonly caller: Caller;
  readonly label: string;
  readonly isolation: Isolation;
  /** Returns the session. Throws a Failure if there is none, or the agent's grant has ended. */
  session(id: string): Session;
  holds(conversation: Conversation): boolean;
  /** Replaces the agent's terminal ids by the room's. */
  named(conversation: Conversation, patch: ToolPatch): ToolPatch;
  update(session: string, update: unknown): void;
}

export type RequestParts = Pick<
  AgentParts,
  "terminals" | "files" | "approvals" | "judge" | "audit"
>;

export class AgentRequests implements AgentCalls {
  readonly #agent: Asker;
  readonly #parts: RequestParts;

  constructor(agent: Asker, parts: RequestParts) {
    this.#agent = agent;
    this.#parts = parts;
  }

  update(session: string, update: unknown): void {
    this.#agent.update(session, update);
  }

  async permission(
    sessionId: string,
    call: ToolCall,
    options: readonly PermissionOption[],
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const session = this.#agent.session(sessionId);
    const { conversation, spared } = session;
    const patch = patchOf(call);
    conversation.take({ event: "tool", patch: this.#agent.named(conversation, patch) });
    const subject = this.#subject(session);
    try {
      const answer = await askPermission(this.#parts, {
        caller: this.#agent.caller,
        label: this.#agent.label,
        call,
        patch,
        options,
        cwd: conversation.facts.cwd,
        isolation: this.#agent.isolation,
        subject,
        signal,
        spared,
        onAsked: (approval) =>
          conversation.take({ event: "asked", approval, title: patch.title ?? "" }),
        onSettled: (approval, outcome) =>
          conversation.take({ event: "answered", approval, outcome }),
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
      this.#answered(session, subject);
    }
  }

  async readFile(sessionId: string, path: string, line?: number, limit?: number): Promise<string> {
    this.#agent.session(sessionId);
    this.#mustHave("read");
    try {
      const text = await this.#parts.files.read(path, line, limit);
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
    const session = this.#agent.session(sessionId);
    const { conversation } = session;
    this.#mustHave("spawn");
    const subject = this.#subject(session);
    const args = { path, bytes: Buffer.byteLength(content) };
    let approval: string | undefined;
    try {
      await this.#parts.files.write(path, content, {
        caller: this.#agent.caller,
        isolation: this.#agent.isolation,
        subject,
        signal,
        onAsked: (id) => {
          approval = id;
          conversation.take({ event: "asked", approval: id, title: `Write ${path}` });
        },
        onSettled: (outcome) => {
          if (approval !== undefined) conversation.take({ event: "answered", approval, outcome });
        },
      });
      this.#audit("fs/write_text_file", args, "ok");
    } catch (error) {
      this.#auditFailure("fs/write_text_file", args, error);
      throw error;
    } finally {
      this.#answered(session, subject);
    }
  }

  async createTerminal(sessionId: string, wish: CreateWish, signal: AbortSignal): Promise<string> {
    const session = this.#agent.session(sessionId);
    const { conversation } = session;
    this.#mustHave("spawn");
    const cwd = wish.cwd ?? conversation.facts.cwd;
    if (!isAbsolute(cwd)) throw new Failure("invalid", `cwd must be absolute: ${cwd}`);
    const variables = wish.env.map(({ name, value }) => `${name}=${value}`);
    mustFit(wish.command, wish.args, variables);
    const command = commandOf(wish.command, wish.args);
    const env = Object.fromEntries(wish.env.map(({ name, value }) => [name, value]));
    const subject = this.#subject(session);
    const args = { command: command.line ?? command.command, cwd };
    try {
      const created = await this.#parts.terminals.create(
        this.#agent.caller,
        {
          ...command,
          conversation: conversation.id,
          cwd,
          env,
          isolation: this.#agent.isolation,
          outputByteLimit: wish.outputByteLimit,
        },
        {
          signal,
          subject,
          isAllowed: (plan) =>
            changesNothing(plan.added, command) &&
            this.#isHarmless(plan) &&
            session.spared.take(command, plan.cwd),
        },
      );
      if (created.ok && (signal.aborted || !this.#agent.holds(conversation))) {
        await this.#parts.terminals.release(this.#agent.caller, conversation.id, created.value);
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
      this.#answered(session, subject);
    }
  }

  async output(
    sessionId: string,
    terminal: string,
  ): Promise<ClientOutput & { exit: Exit | undefined }> {
    const { conversation } = this.#agent.session(sessionId);
    const read = await this.#parts.terminals.output(this.#agent.caller, conversation.id, terminal);
    return read ?? noTerminal(terminal);
  }

  async exited(sessionId: string, terminal: string, signal: AbortSignal): Promise<Exit> {
    const { conversation } = this.#agent.session(sessionId);
    const { terminals } = this.#parts;
    const exit = await terminals.exited(this.#agent.caller, conversation.id, terminal, signal);
    if (exit === "cancelled")
      throw new Failure("cancelled", "terminal/wait_for_exit was cancelled");
    return exit ?? noTerminal(terminal);
  }

  async kill(sessionId: string, terminal: string): Promise<void> {
    const { conversation } = this.#agent.session(sessionId);
    const isThere = await this.#parts.terminals.kill(this.#agent.caller, conversation.id, terminal);
    if (!isThere) noTerminal(terminal);
    this.#audit("terminal/kill", {}, "ok", terminal);
  }

  async release(sessionId: string, terminal: string): Promise<void> {
    const { conversation } = this.#agent.session(sessionId);
    const isThere = await this.#parts.terminals.release(
      this.#agent.caller,
      conversation.id,
      terminal,
    );
    if (!isThere) noTerminal(terminal);
  }

  /** Whether the added variables do not change the policy's judgement. */
  #isHarmless({ command, line, input, cwd, added }: SpawnPlan): boolean {
    if (Object.keys(added).length === 0) return true;
    const draft = { command, line, input, cwd };
    const [withThem, without] = [added, {}].map((variables) =>
      JSON.stringify(this.#parts.judge({ ...draft, added: variables })),
    );
    return withThem === without;
  }

  #mustHave(scope: "read" | "spawn"): void {
    if (this.#agent.caller.grant()?.scopes.includes(scope) === true) return;
    throw new Failure("refused", `This token does not have the scope ${scope}`);
  }

  #subject({ conversation, questions }: Session): string {
    const subject = `${conversation.id} ${randomUUID()}`;
    questions.add(subject);
    return subject;
  }

  /** Withdraws the approval when its request is over. */
  #answered({ questions }: Session, subject: string): void {
    questions.delete(subject);
    this.#parts.approvals.subjectEnded(subject);
  }

  #audit(tool: string, args: object, outcome: string, terminal?: string): void {
    this.#parts.audit.write({
      event: "call",
      ...who(this.#agent.caller),
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

function noTerminal(id: string): never {
  throw new Failure("not_found", `No such terminal: ${id}`);
}
