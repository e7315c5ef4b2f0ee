// Owns the session tools in MCP: names, descriptions, hints. Their steps are in
// bridge/sessions/; the agents' service decides what an agent may start.

import type { AgentCall } from "../../../agents/typing-gate.ts";
import type { Outcome } from "../../../pipeline/outcome.ts";
import { BLOCKED } from "../../../pipeline/pipeline.ts";
import type { BashFields, ToolAnswer } from "../../../sessions/tool-answers.ts";
import type { SessionTools } from "../../../sessions/session-tools.ts";
import { toSuccessWithNotes } from "../tool-results.ts";
import {
  bashInput,
  bashOutput,
  continueInput,
  continueOutput,
  sessionListInput,
  sessionListOutput,
  startInput,
  startOutput,
  stopInput,
  stopOutput,
} from "../terminal-schemas.ts";
import type { AuditedAnswer, ToolRow } from "./tool-row.ts";
import { toRefusedAnswer, tool } from "./tool-row.ts";

const WRITE_HINTS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

type SessionService = Pick<
  SessionTools<AgentCall>,
  "bash" | "start" | "continue" | "stop" | "list"
>;

export function sessionTools(service: SessionService): ToolRow[] {
  return [
    tool({
      name: "bash",
      set: "sessions",
      scope: "spawn",
      title: "Run a command",
      description:
        "Execute a shell command and get its exit code and output. For commands that finish on their own: tests, builds, git. No terminal and no input unless stdin gives it. Commands not known to be safe need a person's approval. At most 60 a minute and 8 at once.",
      input: bashInput,
      output: bashOutput,
      hints: WRITE_HINTS,
      mayTakeLong: () => true,
      handle: async (call, { workingDirectory, cwd, ...args }) => {
        const request = { ...args, cwd: cwd ?? workingDirectory };
        return toAnswer(withoutOutput(await service.bash(call, request, call.signal)));
      },
    }),
    tool({
      name: "terminal_start",
      set: "sessions",
      scope: "spawn",
      title: "Start a terminal session",
      description:
        "Start a persistent terminal session: a dev server, a REPL, anything interactive. Returns its first output once that settles, or as soon as until matches. Counts with background terminals: 3 a minute, 5 at once. Stop it when you are done.",
      input: startInput,
      output: startOutput,
      hints: WRITE_HINTS,
      mayTakeLong: () => true,
      handle: async (call, { workingDirectory, cwd, ...args }) =>
        toAnswer(await service.start(call, { ...args, cwd: cwd ?? workingDirectory }, call.signal)),
    }),
    tool({
      name: "terminal_continue",
      set: "sessions",
      scope: "spawn",
      title: "Continue a terminal session",
      description:
        "Send input to a terminal session and get its output since the last call. Without stdin it only waits for more. Lines typed into a shell are checked like commands.",
      input: continueInput,
      output: continueOutput,
      hints: WRITE_HINTS,
      mayTakeLong: () => true,
      handle: async (call, args) => toAnswer(await service.continue(call, args, call.signal)),
    }),
    tool({
      name: "terminal_stop",
      set: "sessions",
      scope: "spawn",
      title: "Stop a terminal session",
      description: "Terminate a terminal session and everything in it.",
      input: stopInput,
      output: stopOutput,
      hints: { ...WRITE_HINTS, idempotentHint: true, openWorldHint: false },
      mayTakeLong: () => true,
      handle: async (call, { sessionId }) => toAnswer(await service.stop(call, sessionId)),
    }),
    tool({
      name: "terminal_list",
      set: "sessions",
      scope: "read",
      title: "List terminal sessions",
      description: "List your active terminal sessions. Other terminals: list_terminals.",
      input: sessionListInput,
      output: sessionListOutput,
      hints: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      handle: (call) => toAnswer({ ok: true, value: service.list(call) }),
    }),
  ];
}

/** Removes `output`: the text block has it, so the structured content must not repeat it. */
function withoutOutput(outcome: Outcome<ToolAnswer<BashFields>>): Outcome<ToolAnswer<object>> {
  if (!outcome.ok) return outcome;
  const { output: _output, ...fields } = outcome.value.fields;
  return { ok: true, value: { ...outcome.value, fields } };
}

/** Converts an outcome to an answer. A command that failed is an answer, not an error. */
function toAnswer(outcome: Outcome<ToolAnswer<object>>): AuditedAnswer {
  if (!outcome.ok) {
    const { error, moreReasons } = outcome;
    const hint = formatHint(outcome);
    // Some programs show only the first text; only `spawn_background_terminal` documents it.
    if (error === BLOCKED && hint !== undefined)
      return toRefusedAnswer(`${error}: ${hint}`, undefined, { moreReasons });
    return toRefusedAnswer(error, undefined, { hint, moreReasons });
  }
  const { text, notes, fields } = outcome.value;
  return { result: toSuccessWithNotes(text, notes, { ...fields }), outcome: "ok" };
}

/** Returns the hint for a second text block: errors have no structured content. */
function formatHint({ hint, retryAfterMs }: Extract<Outcome<never>, { ok: false }>) {
  if (retryAfterMs === undefined) return hint;
  return `Try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
}
