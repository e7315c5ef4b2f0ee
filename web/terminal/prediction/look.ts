// Owns what the guessing knows of the emulator: its cursor's row, and whether a shell's prompt stands
// there. Pure but for `lookAt`, which reads an xterm.

import type { IBufferCell, Terminal } from "@xterm/xterm";

export interface Look {
  /** Of the cursor, scrollback included. */
  readonly row: number;
  readonly col: number;
  /** The row, cell by cell; "" where nothing was written. */
  readonly cells: readonly string[];
  /** Columns with letters in a colour that shells have for what they suggest, and nobody has typed. */
  readonly hints?: ReadonlySet<number>;
  /** Whether a line editor reads: shells ask for marked pastes at their prompt, and nowhere else. */
  readonly isEdited: boolean;
  /** Whether this is a screen of lines: full-screen programs answer in ways of their own. */
  readonly isPlain: boolean;
}

/** Letters stand at the end of a line where so many cells are free; a shell may write further right. */
const ROOM = 3;

/** How only shells' prompts end: what is typed there is echoed. */
const SHELLS = /[$#%]$/;

/** How a shell's may end, and those of programs that ask for a secret and show nothing. */
const ANYBODYS = /[>❯➜»λ]$/u;

/** Line editors ask for these too, and show stars or nothing. */
const SECRET = /pass|secret|token|credential|\b(?:pin|code|key|otp|mfa|2fa)\b/i;

/** What a prompt begins with and keeps in every folder: a user and a host, a program's name. */
const NAME = /^[^\s:~/]+/;

export function textOf({ cells }: Look, from: number, to: number): string {
  let text = "";
  for (let col = from; col < to; col++) text += cells[col] || " ";
  return text;
}

export function isRoomy(look: Look, from: number): boolean {
  return isFree(look, from, Math.min(from + ROOM, look.cells.length));
}

/** Nothing stands there, or what a shell suggests: it makes way for what is typed. */
export function isFree({ cells, hints }: Look, from: number, to: number): boolean {
  for (let col = from; col < to; col++)
    if ((cells[col] || " ") !== " " && hints?.has(col) !== true) return false;
  return true;
}

/** Of what stands before a line: how far what is typed there will be echoed. */
export type Prompt =
  | { readonly is: "shell" }
  /** Once something was echoed at one of this name. */
  | { readonly is: "named"; readonly name: string }
  | { readonly is: "unknown" }
  /** Whatever comes back, nothing is shown. */
  | { readonly is: "secret" };

export function promptOf(look: Look, base: number): Prompt {
  const before = textOf(look, 0, base).trimEnd();
  const isSecret = SECRET.test(before);
  // Folders may have such names, too.
  if (look.isEdited && SHELLS.test(before)) return { is: isSecret ? "unknown" : "shell" };
  if (isSecret) return { is: "secret" };
  const [name] = NAME.exec(before) ?? [];
  if (!look.isEdited || !ANYBODYS.test(before) || name === undefined) return { is: "unknown" };
  return { is: "named", name: `${name} ${before.at(-1)}` };
}

export function lookAt(term: Terminal): Look {
  const { active } = term.buffer;
  const row = active.baseY + active.cursorY;
  const line = active.getLine(row);
  const cells: string[] = [];
  const hints = new Set<number>();
  let cell = line?.getCell(0);
  for (let col = 0; col < term.cols; col++) {
    cell = line?.getCell(col, cell);
    const char = cell?.getChars() ?? "";
    cells.push(char);
    if (char !== "" && cell && isPale(cell)) hints.add(col);
  }
  return {
    row,
    col: active.cursorX,
    cells,
    hints,
    isEdited: term.modes.bracketedPasteMode,
    isPlain: active.type === "normal",
  };
}

/** Grey or dim: fish, and zsh's and PowerShell's suggestions, by their defaults. */
function isPale(cell: IBufferCell): boolean {
  if (cell.isDim()) return true;
  const color = cell.getFgColor();
  if (cell.isFgPalette()) return color === 8 || (color >= 235 && color <= 248);
  if (!cell.isFgRGB()) return false;
  const parts = [color >> 16, (color >> 8) & 0xff, color & 0xff];
  const [least, most] = [Math.min(...parts), Math.max(...parts)];
  return most - least < 0x18 && least > 0x38 && most < 0xb0;
}
