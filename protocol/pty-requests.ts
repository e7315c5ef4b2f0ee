// Owns the requests of the pty dialect, one row each: schema with every limit, the right that it
// needs, and how the bridge may treat it. Types, checks and the bridge's dispatch follow from the
// rows. Plain clients need attach, detach, input and resize; the others are pairpty's own.

import * as z from "zod/mini";
import { GrantId } from "./grant.ts";
import { MAX_INPUT_CHARS } from "./limits.ts";
import { Columns, Rows } from "./terminal.ts";

const MAX_ID_CHARS = 64;
const Id = z.string().check(z.maxLength(MAX_ID_CHARS));
const Offset = z.int().check(z.nonnegative());

interface RequestRules {
  /** look: allowed to every person's link. change: needs an edit link. */
  readonly requires: "look" | "change";
  /** Without side effects (attaching, acks, sizes): accepted however late it arrives. */
  readonly isLateSafe?: true;
  /** Whether a message widens access and may need the confirmation code on this machine. */
  readonly requiresCode?: (message: { readonly [field: string]: unknown }) => boolean;
}

type RequestSchema = z.ZodMiniObject<{
  readonly type: z.ZodMiniLiteral<string>;
  readonly id: typeof Id;
}>;

function row<Schema extends RequestSchema>(
  rules: RequestRules,
  schema: Schema,
): RequestRules & { readonly schema: Schema } {
  return { ...rules, schema };
}

/** Body of `POST /w/:workspace/pty/spawn`. No command means the user's shell. */
export const SpawnBody = z.strictObject({
  cwd: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
  command: z.optional(
    z.array(z.string().check(z.maxLength(32_768))).check(z.minLength(1), z.maxLength(1000)),
  ),
  cols: z.optional(Columns),
  rows: z.optional(Rows),
  /** Hidden from agents and view links. */
  private: z.optional(z.boolean()),
  env: z.optional(
    z.record(
      z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.maxLength(256)),
      z.string().check(z.maxLength(32_768)),
    ),
  ),
});
export type SpawnBody = z.infer<typeof SpawnBody>;

export const PTY_REQUESTS = [
  /** Starts output. With epoch and offset of an earlier attach: sends exactly the missing bytes. */
  row(
    { requires: "look", isLateSafe: true },
    z.object({
      type: z.literal("pty:attach"),
      id: Id,
      epoch: z.optional(z.int()),
      offset: z.optional(Offset),
    }),
  ),
  row({ requires: "look", isLateSafe: true }, z.object({ type: z.literal("pty:detach"), id: Id })),
  row(
    { requires: "change" },
    z.object({
      type: z.literal("pty:input"),
      id: Id,
      data: z.string().check(z.maxLength(MAX_INPUT_CHARS)),
      /**
       * Optional: the person allowed a program to read the clipboard. The bridge sends all other
       * replies itself.
       */
      reply: z.optional(z.literal("clipboard")),
    }),
  ),
  row(
    { requires: "change", isLateSafe: true },
    z.object({ type: z.literal("pty:resize"), id: Id, cols: Columns, rows: Rows }),
  ),
  /** Ends a terminal and all its processes; answered with `pty:closed`. */
  row({ requires: "change" }, z.object({ type: z.literal("pty:close"), id: Id })),
  /** Confirms that the viewer has rendered everything before `offset`. */
  row(
    { requires: "look", isLateSafe: true },
    z.object({ type: z.literal("pty:ack"), id: Id, offset: Offset }),
  ),
  /** Reports the size that this viewer has room for, and whether it is visible. */
  row(
    { requires: "look", isLateSafe: true },
    z.object({
      type: z.literal("pty:view"),
      id: Id,
      cols: Columns,
      rows: Rows,
      visible: z.boolean(),
    }),
  ),
  /** Makes this viewer the driver, as if it had typed. */
  row({ requires: "change" }, z.object({ type: z.literal("pty:drive"), id: Id })),
  /** Requests the driver to hand over. */
  row({ requires: "change" }, z.object({ type: z.literal("pty:ask"), id: Id })),
  /** Hides a user's terminal from agents and view links. */
  row(
    { requires: "change" },
    z.object({ type: z.literal("pty:private"), id: Id, on: z.boolean() }),
  ),
  /**
   * Allows agents to type into a user's terminal: those of these grants, or all with the
   * scope `type`.
   */
  row(
    { requires: "change", requiresCode: ({ on }) => on === true },
    z.object({
      type: z.literal("pty:agents-type"),
      id: Id,
      on: z.boolean(),
      grants: z.optional(z.array(GrantId).check(z.maxLength(64))),
    }),
  ),
  /** Pins the size: the current one if none is given. */
  row(
    { requires: "change" },
    z.object({
      type: z.literal("pty:pin"),
      id: Id,
      on: z.boolean(),
      cols: z.optional(Columns),
      rows: z.optional(Rows),
    }),
  ),
  /** Starts or stops a recording; all viewers are notified. */
  row({ requires: "change" }, z.object({ type: z.literal("pty:record"), id: Id, on: z.boolean() })),
  /**
   * Steps into an agent's terminal; its agent can neither type nor read on meanwhile.
   */
  row({ requires: "change" }, z.object({ type: z.literal("pty:step-in"), id: Id })),
  /**
   * Returns the terminal to its agent; `hide` keeps the output in between hidden from
   * agents.
   */
  row(
    { requires: "change" },
    z.object({ type: z.literal("pty:hand-back"), id: Id, hide: z.optional(z.boolean()) }),
  ),
  /** Renames a terminal for all viewers; "" restores its own name. */
  row(
    { requires: "change" },
    z.object({ type: z.literal("pty:rename"), id: Id, name: z.string().check(z.maxLength(200)) }),
  ),
  /** Makes an agent's terminal the user's, as if its agent had promoted it. */
  row({ requires: "change" }, z.object({ type: z.literal("pty:promote"), id: Id })),
  /** Hands over to a peer, usually one that requested it. */
  row(
    { requires: "change" },
    z.object({ type: z.literal("pty:give"), id: Id, peer: z.int().check(z.nonnegative()) }),
  ),
  /**
   * Opens a terminal, as `POST /pty/spawn` does. The client chooses `id`, which the
   * answer repeats: `pty:spawned` or `pty:error`.
   */
  row({ requires: "change" }, z.extend(SpawnBody, { type: z.literal("pty:spawn"), id: Id })),
];

export type PtyRequest = z.infer<(typeof PTY_REQUESTS)[number]["schema"]>;

/** Returns the request of one type. */
export type PtyRequestOf<Type extends PtyRequest["type"]> = Extract<PtyRequest, { type: Type }>;

type RequestRow = RequestRules & { readonly schema: z.ZodMiniType<PtyRequest> };

const ROWS: ReadonlyMap<string, RequestRow> = new Map(
  PTY_REQUESTS.map((one) => [one.schema.shape.type.def.values[0] ?? "", one]),
);

/** Returns the row of a message type; undefined if the dialect has no such request. */
export function findPtyRequest(type: string): RequestRow | undefined {
  return ROWS.get(type);
}

/** Whether it is valid input. Checked by hand: the schema costs a third of the time per key. */
export function isPtyInput(value: unknown): value is PtyRequestOf<"pty:input"> {
  if (typeof value !== "object" || value === null) return false;
  if (!("type" in value && "id" in value && "data" in value)) return false;
  const { type, id, data } = value;
  if (type !== "pty:input" || typeof id !== "string" || typeof data !== "string") return false;
  if ("reply" in value && value.reply !== undefined && value.reply !== "clipboard") return false;
  return id.length <= MAX_ID_CHARS && data.length <= MAX_INPUT_CHARS;
}
