// Owns the predictor's view of the emulator: the cursor's row, and whether it has a shell prompt. Pure except
// `readCursorRow`, which reads an xterm.

import type { IBufferCell, Terminal } from "@xterm/xterm";

export interface CursorRow {
  /** The cursor's row, including the scrollback. */
  readonly row: number;
  readonly col: number;
  /** Characters of the row by cell; "" for an empty cell. */
  readonly cells: readonly string[];
  /** Columns with text in a colour that shells use for suggestions, which was not typed. */
  readonly hints?: ReadonlySet<number>;
  /** Whether a line editor reads input: shells enable bracketed paste only at their prompt. */
  readonly hasLineEditor: boolean;
  /** Whether the normal screen is active; full-screen programs echo in unpredictable ways. */
  readonly isNormalScreen: boolean;
}

/** Free cells that mark the end of the line; a shell may have a right prompt beyond them. */
const MIN_FREE_CELLS = 3;

/** Ends of prompts that only shells have; input there is echoed. */
const SHELL_PROMPT_END = /[$#%]$/;

/** Ends of prompts of shells, but also of programs that read a secret without echo. */
const GENERIC_PROMPT_END = /[>❯➜»λ]$/u;

/** Prompts for secrets, which line editors echo as stars or not at all. */
const SECRET_PROMPT = /pass|secret|token|credential|\b(?:pin|code|key|otp|mfa|2fa)\b/i;

/** Start of a prompt that does not depend on the folder: user and host, or a program's name. */
const PROMPT_NAME = /^[^\s:~/]+/;

export function getText({ cells }: CursorRow, from: number, to: number): string {
  let text = "";
  for (let col = from; col < to; col++) text += cells[col] || " ";
  return text;
}

/** Whether enough cells after `from` are free to predict there. */
export function hasFreeCells(cursorRow: CursorRow, from: number): boolean {
  return isFree(cursorRow, from, Math.min(from + MIN_FREE_CELLS, cursorRow.cells.length));
}

/** Whether the cells are empty or hold only a shell's suggestion, which typing replaces. */
export function isFree({ cells, hints }: CursorRow, from: number, to: number): boolean {
  for (let col = from; col < to; col++)
    if ((cells[col] || " ") !== " " && hints?.has(col) !== true) return false;
  return true;
}

/** Kind of prompt before the input, which tells whether the input will be echoed. */
export type Prompt =
  | { readonly is: "shell" }
  /** Trusted after something was echoed at a prompt of this name. */
  | { readonly is: "named"; readonly name: string }
  | { readonly is: "unknown" }
  /** Nothing is predicted at such a prompt. */
  | { readonly is: "secret" };

/** Classifies the prompt before column `base`. */
export function classifyPrompt(cursorRow: CursorRow, base: number): Prompt {
  const before = getText(cursorRow, 0, base).trimEnd();
  const isSecret = SECRET_PROMPT.test(before);
  // A folder in the prompt may contain such a word, too.
  if (cursorRow.hasLineEditor && SHELL_PROMPT_END.test(before))
    return { is: isSecret ? "unknown" : "shell" };
  if (isSecret) return { is: "secret" };
  const [name] = PROMPT_NAME.exec(before) ?? [];
  if (!cursorRow.hasLineEditor || !GENERIC_PROMPT_END.test(before) || name === undefined)
    return { is: "unknown" };
  return { is: "named", name: `${name} ${before.at(-1)}` };
}

/** Reads the cursor's row and the modes of an xterm. */
export function readCursorRow(term: Terminal): CursorRow {
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
    hasLineEditor: term.modes.bracketedPasteMode,
    isNormalScreen: active.type === "normal",
  };
}

/** Whether the text is grey or dim, the default for suggestions of fish, zsh and PowerShell. */
function isPale(cell: IBufferCell): boolean {
  if (cell.isDim()) return true;
  const color = cell.getFgColor();
  if (cell.isFgPalette()) return color === 8 || (color >= 235 && color <= 248);
  if (!cell.isFgRGB()) return false;
  const parts = [color >> 16, (color >> 8) & 0xff, color & 0xff];
  const [least, most] = [Math.min(...parts), Math.max(...parts)];
  return most - least < 0x18 && least > 0x38 && most < 0xb0;
}
