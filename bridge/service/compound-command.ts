// Owns splitting a compound command into words: separators are dropped, quotes are kept. Does not
// judge; the policy does.

const BLANK = /\s/;
const SEPARATORS = ["&&", "||", ";;", ";", "|&", "|", "&", "\n"];

/**
 * Splits a command: `git add . && echo "a b"` gives `git`, `add`, `.`, `echo`, `"a b"`. Quotes,
 * escapes and substitutions stay inside their word.
 */
export function parseCompoundCommand(command: string): string[] {
  const words: string[] = [];
  let word = "";
  const done = () => {
    if (word !== "") words.push(word);
    word = "";
  };
  for (let at = 0; at < command.length;) {
    const separator = separatorAt(command, at, word);
    if (separator > 0 || BLANK.test(command[at] ?? "")) {
      done();
      at += Math.max(separator, 1);
      continue;
    }
    const end = pieceEnd(command, at);
    word += command.slice(at, end);
    at = end;
  }
  done();
  return words;
}

/** Returns the length of the separator here, 0 for none. `2>&1` and `&>` contain none. */
function separatorAt(command: string, at: number, word: string): number {
  if (command[at] === "&" && (command[at + 1] === ">" || word.endsWith(">"))) return 0;
  return SEPARATORS.find((separator) => command.startsWith(separator, at))?.length ?? 0;
}

/** Returns the end of the piece that starts here: one character, or a whole quoted part. */
function pieceEnd(command: string, at: number): number {
  const first = command[at] ?? "";
  if (first === "\\") return at + 2;
  if (first === "'") return findAfter(command, "'", at + 1);
  if (first === '"') return quotedEnd(command, at + 1, '"');
  if (first === "`") return quotedEnd(command, at + 1, "`");
  if (first === "$" && command[at + 1] === "(") return nestedEnd(command, at + 2);
  return at + 1;
}

function findAfter(command: string, mark: string, from: number): number {
  const found = command.indexOf(mark, from);
  return found < 0 ? command.length : found + 1;
}

function quotedEnd(command: string, from: number, mark: string): number {
  let at = from;
  while (at < command.length && command[at] !== mark) {
    const isNested = command[at] === "$" && command[at + 1] === "(";
    if (command[at] === "\\") at += 2;
    else at = isNested ? nestedEnd(command, at + 2) : at + 1;
  }
  return Math.min(at + 1, command.length);
}

/** Returns the position after the `)` that closes a substitution. */
function nestedEnd(command: string, from: number): number {
  let depth = 1;
  let at = from;
  while (at < command.length && depth > 0) {
    const first = command[at] ?? "";
    if (first === "(") depth += 1;
    if (first === ")") depth -= 1;
    at = first === "'" || first === "\\" ? pieceEnd(command, at) : at + 1;
  }
  return at;
}
