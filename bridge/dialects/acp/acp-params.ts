// Owns the schemas of an agent's requests and answers, with their limits. They require only the
// fields that pairpty needs, so that agents of other versions work.

import * as z from "zod/mini";
import { PermissionOption } from "../../conversations/permission-requests.ts";
import { validOrUndefined, validItems } from "../../lenient-schemas.ts";
import { ToolCall } from "../../conversations/tool-call.ts";

const Id = z.string().check(z.minLength(1), z.maxLength(1_024));
const Path = z.string().check(z.minLength(1), z.maxLength(4_096));
const Line = z.nullish(z.int().check(z.nonnegative()));
const Variable = z.looseObject({
  name: z.string().check(z.regex(/^[^=\0]{1,255}$/)),
  value: z.string().check(z.regex(/^[^\0]*$/)),
});
const NoNulText = z.string().check(z.regex(/^[^\0]*$/));

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
  command: NoNulText.check(z.minLength(1)),
  args: z.nullish(z.array(NoNulText)),
  env: z.nullish(z.array(Variable)),
  cwd: z.nullish(Path),
  outputByteLimit: z.nullish(z.int().check(z.nonnegative())),
});
export const TerminalParams = z.looseObject({ sessionId: Id, terminalId: Id });

const Flag = validOrUndefined(z.boolean());
const ShortText = validOrUndefined(z.string().check(z.maxLength(200)));

const Capabilities = z.looseObject({
  loadSession: Flag,
  mcpCapabilities: validOrUndefined(z.looseObject({ http: Flag })),
  sessionCapabilities: validOrUndefined(
    z.looseObject({ close: validOrUndefined(z.looseObject({})) }),
  ),
});

export const InitializeResult = z.looseObject({
  protocolVersion: z.int(),
  agentCapabilities: validOrUndefined(Capabilities),
  agentInfo: validOrUndefined(
    z.looseObject({ name: ShortText, title: ShortText, version: ShortText }),
  ),
  authMethods: validItems(z.looseObject({ name: ShortText, description: ShortText })),
});

export const BeginResult = z.looseObject({ sessionId: Id, modes: z.optional(z.unknown()) });
export const LoadResult = z.nullish(z.looseObject({ modes: z.optional(z.unknown()) }));
export const PromptResult = z.looseObject({ stopReason: z.string().check(z.maxLength(100)) });
