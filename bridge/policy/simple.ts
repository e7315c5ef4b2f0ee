// Owns two questions about a command's form, for the code that remembers answers: is it one command
// of plain words, and which commands are in it at all? Reads a line by the policy's parser; judges
// nothing.

import type { Command, SyntaxNode, Word, WordPart } from "unbash";
import { forEachChild, parse } from "unbash";
import { ruleName } from "./names.ts";
import { CARRIERS } from "./unwrap/table.ts";

/** Nobody reads a longer one before saying that it may always run. */
const MAX_LENGTH = 4_096;

/** Whether a program runs what it is told to: a wrapper, a shell, an interpreter. */
export function runsOthers(word: string): boolean {
  return CARRIERS.has(ruleName(word));
}

/**
 * The words of a line that is one command and nothing else: no list, redirect, assignment,
 * substitution, expansion or pattern. Undefined for every other line.
 */
export function plainWords(line: string): string[] | undefined {
  const text = line.trim();
  const [statement, ...more] = statementsOf(text);
  if (statement === undefined || more.length > 0 || statement.background === true) return undefined;
  const { command } = statement;
  // What is behind it, a comment perhaps, other shells read otherwise.
  if (command.type !== "Command" || command.end !== text.length) return undefined;
  if (command.prefix.length > 0 || /[\r\n]/.test(text)) return undefined;
  const words = wordsOf(command);
  return words.length > 1 + command.suffix.length || words.includes(undefined)
    ? undefined
    : words.filter((word) => word !== undefined);
}

/** Every command of a line with its words; undefined where one is known only when it runs. */
export function commandsIn(line: string): string[][] | undefined {
  const statements = statementsOf(line);
  if (statements.length === 0) return undefined;
  const commands: string[][] = [];
  let isKnown = true;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name !== undefined) {
      const words = wordsOf(node);
      if (words[0] === undefined) isKnown = false;
      commands.push(words.filter((word) => word !== undefined));
    }
    // A function's name is no program's.
    if (node.type === "Function" || node.type === "CommandExpansion") isKnown = false;
    forEachChild(node, visit);
  };
  for (const statement of statements) visit(statement);
  return isKnown ? commands : undefined;
}

function statementsOf(text: string) {
  if (text.length > MAX_LENGTH) return [];
  try {
    const { commands, errors = [] } = parse(text);
    return errors.length > 0 ? [] : commands;
  } catch (error) {
    // What the parser cannot take is no line that anybody wants to remember.
    if (error instanceof Error) return [];
    throw error;
  }
}

/** Undefined where a word is known only when it runs; a redirect is one of these. */
function wordsOf({ name, suffix }: Command): (string | undefined)[] {
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
