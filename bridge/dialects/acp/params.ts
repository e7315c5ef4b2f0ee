// Owns the schemas of an agent's requests and answers, with their limits. They require only the
// fields that pairpty needs, so that agents of other versions work.

import * as z from "zod/mini";
import { PermissionOption } from "../../conversations/options.ts";
import { lenient, some } from "../../lenient.ts";
import { ToolCall } from "../../conversations/updates.ts";

const Id = z.string().check(z.minLength(1), z.maxLength(1_024));
const Path = z.string().check(z.minLength(1), z.maxLength(4_096));
const Line = z.nullish(z.int().check(z.nonnegative()));
const Variable = z.looseObject({
  name: z.string().check(z.regex(/^[^=\0]{1,255}$/)),
  value: z.string().check(z.regex(/^[^\0]*$/)),
});
const Word = z.string().check(z.regex(/^[^\0]*$/));

export const UpdateParams = z.looseObject({ sessionId: Id, update: z.unknown() });

export const PermissionParams = z.looseObject({
  sessionId: Id,
  toolCall: ToolCall,
  options: z.array(PermissionOption).check(z.minLength(1), z.maxLength(32)),
});

export const ReadParams = z.looseObject({ sessionId: Id, path: Path, line: Line, limit: Line });
export const WriteParams = z.looseObject({ sessionId: Id, path: Path, content: z.string() });

export const CreateParams = z.looseObject({
  sessionId: Id,
  command: Word.check(z.minLength(1)),
  args: z.nullish(z.array(Word)),
  env: z.nullish(z.array(Variable)),
  cwd: z.nullish(Path),
  outputByteLimit: z.nullish(z.int().check(z.nonnegative())),
});
export const TerminalParams = z.looseObject({ sessionId: Id, terminalId: Id });

const Flag = lenient(z.boolean());
const Words = lenient(z.string().check(z.maxLength(200)));

const Capabilities = z.looseObject({
  loadSession: Flag,
  mcpCapabilities: lenient(z.looseObject({ http: Flag })),
  sessionCapabilities: lenient(z.looseObject({ close: lenient(z.looseObject({})) })),
});

export const InitializeResult = z.looseObject({
  protocolVersion: z.int(),
  agentCapabilities: lenient(Capabilities),
  agentInfo: lenient(z.looseObject({ name: Words, title: Words, version: Words })),
  authMethods: some(z.looseObject({ name: Words, description: Words })),
});

export const BeginResult = z.looseObject({ sessionId: Id, modes: z.optional(z.unknown()) });
export const LoadResult = z.nullish(z.looseObject({ modes: z.optional(z.unknown()) }));
export const PromptResult = z.looseObject({ stopReason: z.string().check(z.maxLength(100)) });
