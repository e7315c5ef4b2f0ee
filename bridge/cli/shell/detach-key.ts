// Parses the detach key, and finds it in typed input.

import { ExitCode, UserError } from "../../errors.ts";

export interface DetachKey {
  readonly name: string;
  readonly byte: number;
}

/** A control character that shells and editors rarely use. */
export const DEFAULT_DETACH = "ctrl-\\";

export function parseDetachKey(text: string): DetachKey {
  const letter = /^ctrl-([a-z\\\]^_])$/i.exec(text)?.[1];
  if (letter !== undefined) {
    return {
      name: `Ctrl-${letter.toUpperCase()}`,
      byte: letter.toUpperCase().charCodeAt(0) & 0x1f,
    };
  }
  throw new UserError(
    `"${text}" cannot be the detach key`,
    ExitCode.usage,
    "Write ctrl- and a letter or one of \\ ] ^ _, for example ctrl-].",
  );
}

/** Returns the input before the key; undefined if the key is not in it. */
export function inputBeforeKey(typed: Buffer, { byte }: DetachKey): Buffer | undefined {
  const at = typed.indexOf(byte);
  return at < 0 ? undefined : typed.subarray(0, at);
}
