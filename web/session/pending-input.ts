// Owns the rules for input that is typed while a terminal is being opened: it waits in order, and
// is then delivered or dropped as a whole. Pure: the caller has the clock.

/** Maximum of waiting characters: far more than a person types in that time. */
export const MAX_PENDING_CHARS = 4 * 1024;

/** Older input must not run: its person no longer expects it. */
export const MAX_PENDING_MS = 10_000;

/** Pastes stay separate: only the new terminal knows how to insert them. */
export type PendingPiece =
  | { readonly kind: "keys"; readonly data: string }
  | { readonly kind: "paste"; readonly text: string };

export type PendingInput =
  | { readonly state: "idle" }
  | {
      readonly state: "holding";
      readonly pieces: readonly PendingPiece[];
      /** Text in the page's own field that may still be edited there. */
      readonly draft: string;
      /** A piece was too long: nothing after it is kept, so that no gap appears in the middle. */
      readonly isFull: boolean;
      /** The new terminal's id, once the bridge has answered. */
      readonly target: string | undefined;
    };

export type PendingEvent =
  | { readonly type: "begin" }
  | { readonly type: "typed"; readonly piece: PendingPiece }
  /** Replaces the draft. */
  | { readonly type: "draft"; readonly text: string }
  | { readonly type: "opened"; readonly id: string; readonly isAttached: boolean }
  | { readonly type: "attached"; readonly id: string }
  | { readonly type: "dropped"; readonly why: DropReason };

/** `moved`: the person went elsewhere, or pressed Esc; `failed`: the opener shows why. */
export type DropReason = "failed" | "moved" | "late" | "cut";

/** Effects to apply, in order. */
export type PendingEffect =
  | { readonly type: "deliver"; readonly id: string; readonly pieces: readonly PendingPiece[] }
  /** `hadInput`: input was lost, so the person must be notified. */
  | { readonly type: "drop"; readonly why: DropReason; readonly hadInput: boolean }
  /** Emitted once, with the first piece that is too long. */
  | { readonly type: "full" };

export interface PendingStep {
  readonly next: PendingInput;
  readonly effects: readonly PendingEffect[];
}

export const IDLE_INPUT: PendingInput = { state: "idle" };

const ESC = "\u001B";

/** Returns the next state and its effects; input while idle is ignored. */
export function advancePendingInput(now: PendingInput, event: PendingEvent): PendingStep {
  if (now.state === "idle") {
    if (event.type !== "begin") return { next: now, effects: [] };
    const next: PendingInput = {
      state: "holding",
      pieces: [],
      draft: "",
      isFull: false,
      target: undefined,
    };
    return { next, effects: [] };
  }
  switch (event.type) {
    case "begin":
      return { next: now, effects: [] };
    case "typed": {
      if (event.piece.kind === "keys" && event.piece.data === ESC) return drop(now, "moved");
      return keep({ ...now, pieces: allPieces(now), draft: "" }, event.piece);
    }
    case "draft": {
      if (now.isFull) return { next: { ...now, draft: "" }, effects: [] };
      const isTooLong = pendingChars(now.pieces) + event.text.length > MAX_PENDING_CHARS;
      const next = { ...now, draft: isTooLong ? now.draft : event.text, isFull: isTooLong };
      return { next, effects: isTooLong ? [{ type: "full" }] : [] };
    }
    case "opened": {
      const next = { ...now, target: event.id };
      return event.isAttached ? deliver(next, event.id) : { next, effects: [] };
    }
    case "attached":
      return event.id === now.target ? deliver(now, event.id) : { next: now, effects: [] };
    case "dropped":
      return drop(now, event.why);
    default:
      return event satisfies never;
  }
}

type Holding = Extract<PendingInput, { state: "holding" }>;

function allPieces({ pieces, draft }: Holding): readonly PendingPiece[] {
  return draft === "" ? pieces : [...pieces, { kind: "keys", data: draft }];
}

function pendingChars(pieces: readonly PendingPiece[]): number {
  return pieces.reduce((sum, one) => sum + getText(one).length, 0);
}

function getText(piece: PendingPiece): string {
  return piece.kind === "keys" ? piece.data : piece.text;
}

/** Adds a piece, whole or not at all. */
function keep(now: Holding, piece: PendingPiece): PendingStep {
  if (now.isFull) return { next: now, effects: [] };
  if (pendingChars(now.pieces) + getText(piece).length > MAX_PENDING_CHARS)
    return { next: { ...now, isFull: true }, effects: [{ type: "full" }] };
  return { next: { ...now, pieces: [...now.pieces, piece] }, effects: [] };
}

function deliver(now: Holding, id: string): PendingStep {
  return { next: IDLE_INPUT, effects: [{ type: "deliver", id, pieces: allPieces(now) }] };
}

function drop(now: Holding, why: DropReason): PendingStep {
  const hadInput = now.isFull || allPieces(now).length > 0;
  return { next: IDLE_INPUT, effects: [{ type: "drop", why, hadInput }] };
}
