// Owns two questions about a command's form, for the code that remembers answers: is it a single
// command of plain words, and which commands does it contain? Parses a line as the policy does;
// judges nothing. Also owns whether a shell runs a line at Enter, or waits for more of it because
// of an open quote, a here-document or a loop. Pure. In doubt a line counts as incomplete.

import type { Command, SyntaxNode, Word, WordPart } from "unbash";
import { forEachChild, parse } from "unbash";
import { toRuleName } from "./program-names.ts";
import { RUNS_ARGUMENTS } from "./unwrap/rule-table.ts";

/** A person who answers "always" will not read a longer one. */
const MAX_LENGTH = 4_096;

/** Whether a program runs its arguments: a wrapper, a shell, an interpreter. */
export function runsItsArguments(word: string): boolean {
  return RUNS_ARGUMENTS.has(toRuleName(word));
}

/**
 * Returns the words of a line that is a single plain command: no list, redirect, assignment,
 * substitution, expansion or pattern. Undefined for every other line.
 */
export function findPlainWords(line: string): string[] | undefined {
  const text = line.trim();
  const [statement, ...more] = parseStatements(text);
  if (statement === undefined || more.length > 0 || statement.background === true) return undefined;
  const { command } = statement;
  // Other shells may read the text after the command differently, a comment for example.
  if (command.type !== "Command" || command.end !== text.length) return undefined;
  if (command.prefix.length > 0 || /[\r\n]/.test(text)) return undefined;
  const words = toWords(command);
  return words.length > 1 + command.suffix.length || words.includes(undefined)
    ? undefined
    : words.filter((word) => word !== undefined);
}

/** Returns every command of a line with its words; undefined if one is known only at run time. */
export function listCommands(line: string): string[][] | undefined {
  const statements = parseStatements(line);
  if (statements.length === 0) return undefined;
  const commands: string[][] = [];
  let isKnown = true;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name !== undefined) {
      const words = toWords(node);
      if (words[0] === undefined) isKnown = false;
      commands.push(words.filter((word) => word !== undefined));
    }
    // The name of a function is not a program.
    if (node.type === "Function" || node.type === "CommandExpansion") isKnown = false;
    forEachChild(node, visit);
  };
  for (const statement of statements) visit(statement);
  return isKnown ? commands : undefined;
}

function parseStatements(text: string) {
  if (text.length > MAX_LENGTH) return [];
  try {
    const { commands, errors = [] } = parse(text);
    return errors.length > 0 ? [] : commands;
  } catch (error) {
    // A line that cannot be parsed is not worth remembering.
    if (error instanceof Error) return [];
    throw error;
  }
}

/** Returns the words; undefined for each one that is known only at run time. Redirects count as such. */
function toWords({ name, suffix }: Command): (string | undefined)[] {
  const first = name === undefined ? [] : [name];
  return [...first, ...suffix].map((part) => (part.type === "Word" ? plainText(part) : undefined));
}

function plainText({ text, value, parts }: Word): string | undefined {
  if (text.startsWith("~") || text.includes("\uFFFD")) return undefined;
  return parts === undefined || parts.every(isPlain) ? value : undefined;
}

function isPlain(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.every(({ type }) => type === "Literal");
  return part.type === "Literal" || part.type === "SingleQuoted";
}

/** A longer line counts as incomplete: the parser takes too long for some of them. */
const MAX_CHARS = 4_096;

/** Characters that open something in at least one shell. */
const OPENERS = /['"\\`(){}[\]<]/;
/** Words that open a block in at least one shell, wherever they stand. */
const BLOCK_WORDS =
  /(?:^|[\s;&|])(?:if|then|elif|else|for|foreach|while|until|case|select|switch|do|function|begin|repeat|time|coproc|always)(?=$|[\s;&|])/;
/** A line that ends in `|`, `&&` or `||` continues on the next one; `!` and `^` are history. */
const WAITING_END = /(?:\||&&)\s*$/;

/** Whether neither the line nor any tail of it leaves something open, in any shell. */
export function leavesNothingOpen(line: string): boolean {
  return !OPENERS.test(line) && !BLOCK_WORDS.test(line) && !WAITING_END.test(line);
}

/** Whether a shell that reads the whole line at its prompt runs it immediately. */
export function isSurelyComplete(line: string): boolean {
  if (leavesNothingOpen(line)) return true;
  if (line.length > MAX_CHARS || /[`\n]|<<|\$['"]|\\$/.test(line)) return false;
  if (!hasBalancedQuotes(line) || WAITING_END.test(line)) return false;
  try {
    const { errors = [] } = parse(line);
    // Interactive zsh has no comments by default: it also reads the text after `#`.
    return errors.length === 0 && (!line.includes("#") || !OPENERS.test(afterHash(line)));
  } catch {
    return false;
  }
}

function afterHash(line: string): string {
  return line.slice(line.indexOf("#"));
}

function hasBalancedQuotes(line: string): boolean {
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === "\\" && quote !== "'") at += 1;
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = "";
  }
  return quote === "";
}
