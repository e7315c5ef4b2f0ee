// Owns the result of a decision about a person, and the refusals that several decisions share. Pure.

import type { ErrorCode } from "../../protocol/codes.ts";
import { NotSavedError } from "../workspace/durable-file.ts";

export type ModerationResult =
  | {
      readonly ok: true;
      readonly personName: string;
      readonly isRemovalLifted?: true;
      /** Other browsers have to wait with the person's link. */
      readonly knocks?: true;
      /** Explains the result where it is not what the caller would expect. */
      readonly note?: string;
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly error: string;
      /** Present with `not_saved`: the same error for the host's own window. */
      readonly notSaved?: NotSavedError;
    };

/** Runs `decide`; returns a refusal if the change could not be saved first. */
export function refuseIfNotSaved(decide: () => ModerationResult): ModerationResult {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof NotSavedError)) throw error;
    return { ok: false, code: "not_saved", error: error.pageMessage, notSaved: error };
  }
}

export function toForbidden(error: string): Extract<ModerationResult, { ok: false }> {
  return { ok: false, code: "forbidden", error };
}

export function toAmbiguous(wanted: string): ModerationResult {
  const error = `${wanted} matches several people here; use the id that \`pairpty people\` shows`;
  return { ok: false, code: "bad_request", error };
}
