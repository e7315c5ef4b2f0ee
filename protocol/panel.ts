// Owns the panel dialect: envelope, payloads and limits, with pairpty's optional fields. Decides
// nothing.

import * as z from "zod/mini";
import { MAX_COLUMNS, MAX_INPUT_CHARS, MAX_ROWS } from "./limits.ts";

export const PANEL_TYPE = "terminal";

/**
 * Minimum columns and rows; smaller sizes are raised to it, because programs fail in a window of
 * one cell.
 */
export const MIN_CELLS = 2;

const Name = z.string().check(z.minLength(1), z.maxLength(128));
const Cells = (most: number) => z.int().check(z.gte(0), z.lte(most));

/** The content of a screen, captured by a panel or by the bridge. */
export const TerminalSnapshot = z.object({
  cols: z.int(),
  rows: z.int(),
  cursor: z.object({ x: z.int(), y: z.int() }),
  bufferType: z.enum(["normal", "alternate"]),
  /** One per row, without trailing blanks. */
  lines: z.array(z.string()),
  /** Whether the row continues the one above. */
  wrapped: z.array(z.boolean()),
  /** ISO 8601. */
  timestamp: z.string(),
});
export type TerminalSnapshot = z.infer<typeof TerminalSnapshot>;

const PanelRequestPayload = z.discriminatedUnion("type", [
  z.object({ type: z.literal("panel_lifecycle"), state: z.enum(["opened", "closed"]) }),
  z.object({
    type: z.literal("terminal_input"),
    text: z.string().check(z.maxLength(MAX_INPUT_CHARS)),
  }),
  z.object({ type: z.literal("terminal_resize"), cols: Cells(MAX_COLUMNS), rows: Cells(MAX_ROWS) }),
  z.object({
    type: z.literal("terminal_snapshot_response"),
    requestId: Name,
    snapshot: TerminalSnapshot,
  }),
  z.object({
    type: z.literal("terminal_snapshot_error"),
    requestId: Name,
    message: z.string().check(z.maxLength(1_000)),
  }),
  /** The envelope's `sessionId` is the new session. */
  z.object({
    type: z.literal("panel_session_changed"),
    previousSessionId: z.nullish(Name),
    sessionId: z.nullish(Name),
  }),
]);
export type PanelRequestPayload = z.infer<typeof PanelRequestPayload>;

/** Client to server. */
export const PanelRequest = z.object({
  type: z.literal("panel_event"),
  panelId: Name,
  panelType: z.literal(PANEL_TYPE),
  sessionId: z.nullish(Name),
  payload: PanelRequestPayload,
});
export type PanelRequest = z.infer<typeof PanelRequest>;

/** The fields of an invalid envelope that an error answer needs. */
export const PanelEnvelope = z.object({ panelId: Name, sessionId: z.nullish(Name) });

/** Client to server: ends every panel of the session. */
export const SessionDeleted = z.object({ type: z.literal("session_deleted"), sessionId: Name });

export type PanelPayload =
  /** `offset` and `next` are pairpty's; acks refer to them. */
  | { type: "terminal_output"; data: string; offset?: number; next?: number }
  | { type: "terminal_status"; state: "ready"; terminalId: string }
  | {
      type: "terminal_status";
      state: "closed";
      exitCode: number | null;
      signal: string | null;
    }
  | { type: "terminal_status"; state: "error"; message: string }
  | { type: "terminal_snapshot_request"; requestId: string };

/** Server to client. */
export interface PanelEvent {
  type: "panel_event";
  panelId: string;
  panelType: typeof PANEL_TYPE;
  sessionId?: string;
  payload: PanelPayload;
}

/** Server to client: an error for a message without a panel. */
export interface PanelError {
  type: "panel_error";
  code: string;
  error: string;
}

/** Error codes of the panel operations, each with its HTTP status. */
export const PanelErrorCode = {
  /** The arguments do not match the schema, or the panel's id exists in two scopes. */
  invalid_arguments: 400,
  /** The link or token does not allow this. */
  forbidden: 403,
  /** The request names no panel, and none is active. */
  terminal_not_found: 404,
  /** The panel has no running terminal. */
  terminal_not_ready: 409,
  /** The panel did not capture its screen. */
  terminal_snapshot_failed: 500,
  /** No open panel answered in time. */
  terminal_snapshot_timeout: 504,
} as const;
export type PanelErrorCode = keyof typeof PanelErrorCode;

/** Time for an open panel to capture its screen. */
export const SNAPSHOT_TIMEOUT_MS = 2_000;
export const MAX_SNAPSHOT_TIMEOUT_MS = 10_000;

const Target = { panelId: z.optional(Name), sessionId: z.optional(Name) };

export const WriteArguments = z.strictObject({
  text: z.string().check(z.maxLength(MAX_INPUT_CHARS)),
  ...Target,
});

export const ReadScreenArguments = z.strictObject({
  ...Target,
  timeoutMs: z.optional(z.int().check(z.gte(1), z.lte(MAX_SNAPSHOT_TIMEOUT_MS))),
  /** Requests the screen from the open panel instead of the bridge. */
  source: z.optional(z.literal("client")),
});
