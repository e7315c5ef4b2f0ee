// Owns walking a parsed script: judges every command in it with the standard input it would get.
// Commands are judged in judge-command.ts, redirects in redirects.ts. Also owns what a file-name
// pattern may expand to among a command's arguments: any number of words, and after an unquoted
// variable any words at all, since a shell splits the value.

import type {
  ArithmeticCommand,
  Assignment,
  Command,
  ParsedScript,
  Pipeline,
  Redirection,
  SyntaxNode,
  TestCommand,
  Word,
  WordPart,
} from "unbash";
import { forEachChild } from "unbash";
import { judgeVariable } from "./variable-rules.ts";
import { judgeRedirect, findStdin } from "./redirects.ts";
import type { Run } from "./rule.ts";
import { NESTED_COMMAND } from "./text-patterns.ts";
import type { Value } from "./parameter-expansion.ts";
import { toArgvs, expandWord, toTexts, expandWordUnsplit } from "./word-expansion.ts";
import { UNKNOWN_VALUE, isGlob } from "./word-marks.ts";

export function walkScript(node: SyntaxNode, run: Run): void {
  switch (node.type) {
    case "Command":
      return walkCommand(node, run);
    case "Pipeline":
      return walkPipeline(node, run);
    case "Redirected":
      return toSurroundings(node.command, node.redirects, run);
    case "For":
    case "Select":
      judgeVariable(node.name.value, "", run);
      break;
    case "ParameterExpansion":
      if (node.operation?.type === "Default" && node.operation.operator.endsWith("="))
        judgeVariable(node.parameter, "", run);
      break;
    // The callers of a function are not followed: its input may be a pipe.
    case "Function":
    case "Coproc":
      return walkScript(node.body, run.withStdin(true, run.stdin));
    case "TestCommand":
    case "ArithmeticCommand":
      return judgeExpression(node, run);
    case "CommandExpansion":
    case "ArithmeticCommandExpansion":
      // `$((ls); rm x)` looks like arithmetic and passes the raw pattern, but is a substitution.
      run.note("blocked", NESTED_COMMAND, { level: "safe", basis: "hint" });
      return walkNested(node.script, run);
    case "ProcessSubstitution":
      return walkNested(node.script, run.withStdin(node.operator === ">" || run.isPiped, []));
    case "ArithmeticExpansion":
      if (node.text.includes("PAIRPTY_")) run.noteOwn("a variable that belongs to pairpty");
      if (/[A-Za-z_]/.test(node.text)) run.note("unknown", "arithmetic that evaluates variables");
      break;
    case "ExtendedGlob":
      judgeQualifiers(node.pattern, run);
      break;
    case "Transform":
      if (/[PEAKak]/.test(node.operand.value)) run.note("unknown", "expands a value a second time");
      return;
    case "Word":
      if (node.parts === undefined) return;
      break;
    default:
  }
  forEachChild(node, (child) => walkScript(child, run));
}

/** Judges a pattern as zsh may read it: with qualifiers that run something, `*(e:'rm x':)` or `*(+rm)`. */
function judgeQualifiers(pattern: string, run: Run): void {
  run.note("unknown", "a pattern that zsh may run");
  const line = /^[^e+]*(?:e.|\+)([\s\S]*)$/.exec(pattern)?.[1] ?? "";
  run.asPossible().judgeShellText(line.replaceAll(/^["']|["']?\W?$/g, ""));
}

function walkNested(script: ParsedScript | undefined, run: Run): void {
  if (script === undefined || (script.errors?.length ?? 0) > 0) {
    run.note("dangerous", "a substitution that is not valid shell syntax");
  }
  if (script !== undefined) walkScript(script, run);
}

function walkPipeline(node: Pipeline, run: Run): void {
  for (const [index, command] of node.commands.entries()) {
    walkScript(command, index === 0 ? run : run.withStdin(true, []));
  }
}

/** Judges `[[ … ]]` and `(( … ))`: they evaluate variables as expressions, which can run code. */
function judgeExpression(node: TestCommand | ArithmeticCommand, run: Run): void {
  run.note("unknown", "an expression that evaluates variables");
  if (node.type === "ArithmeticCommand" && node.body.includes("PAIRPTY_"))
    run.noteOwn("a variable that belongs to pairpty");
  // In shells without arithmetic commands (dash), `((rm x))` is a subshell in a subshell.
  if (node.type === "ArithmeticCommand") run.asPossible().judgeShellText(node.body);
  forEachChild(node, (child) => walkScript(child, run));
}

function withRedirects(redirects: readonly Redirection[], run: Run): Run {
  for (const redirect of redirects) {
    forEachChild(redirect, (child) => walkScript(child, run));
    judgeRedirect(redirect, run);
    // Shells read the rest of the input as the here-document.
    if (redirect.type === "HereDoc" && redirect.closing === undefined) {
      run.note("dangerous", "a here-document without an end");
    }
  }
  const stdin = findStdin(redirects, run.scope);
  if (stdin === undefined) return run;
  return run.withStdin(stdin.stream, stdin.texts);
}

function walkCommand(node: Command, outer: Run): void {
  const run = withRedirects(node.redirects, outer);
  for (const part of node.prefix) {
    if (part.type !== "Assignment") continue;
    forEachChild(part, (child) => walkScript(child, run));
    for (const text of listAssignedTexts(part, run)) judgeVariable(part.name, text, run);
  }
  if (node.name === undefined) return run.note("unknown", "names no program");
  if (isBareExec(node) && run !== outer) judgeExecInput(run);
  walkScript(node.name, run);
  const words: (readonly Value[])[] = [expandWord(node.name, run.scope)];
  const unsplit = [expandWordUnsplit(node.name, run.scope)];
  for (const part of node.suffix) {
    if (part.type === "Word") {
      walkScript(part, run);
      words.push(spreadGlobs(part, expandWord(part, run.scope)));
      const fields = expandWordUnsplit(part, run.scope);
      unsplit.push(fields && spreadGlobs(part, fields, false));
    } else if (part.type === "Assignment") {
      forEachChild(part, (child) => walkScript(child, run));
      words.push(listAssignedTexts(part, run).map((text) => [`${part.name}=${text}`]));
      unsplit.push(undefined);
    }
  }
  const argvs = [...toArgvs(words)];
  if (unsplit.some((fields) => fields !== undefined))
    argvs.push(...toArgvs(words.map((fields, index) => unsplit[index] ?? fields)));
  if (isBuiltName(node.name, run) && argvs.some(([word = ""]) => word.includes(UNKNOWN_VALUE)))
    run.note("dangerous", "builds the program's name in a way that cannot be checked");
  for (const argv of argvs) {
    if (argv.length > 0) run.judgeArgv(argv);
    else run.note("unknown", "names no program");
  }
}

/** Whether the name contains a variable that the script itself has set. */
function isBuiltName(name: Word, run: Run): boolean {
  const expands = (parts: readonly WordPart[] = []): boolean =>
    parts.some((part) => {
      if (part.type === "DoubleQuoted") return expands(part.parts);
      if (part.type !== "SimpleExpansion" && part.type !== "ParameterExpansion") return false;
      const variable = part.type === "SimpleExpansion" ? part.text.slice(1) : part.parameter;
      return run.scope.isAssignedHere(variable);
    });
  return expands(name.parts);
}

function toSurroundings(command: SyntaxNode, redirects: readonly Redirection[], outer: Run): void {
  const run = withRedirects(redirects, outer);
  if (command.type === "Command" && isBareExec(command) && run !== outer) judgeExecInput(run);
  walkScript(command, run);
}

function isBareExec(node: Command): boolean {
  return node.name?.value === "exec" && !node.suffix.some((part) => part.type === "Word");
}

/** Judges `exec < <(…)`: the following commands read that input, and one may be a shell. */
function judgeExecInput(run: Run): void {
  if (run.isPiped) run.note("blocked", "what follows runs the output of another program");
  for (const text of run.stdin) run.asPossible().withStdin(false, []).judgeShellText(text);
}

function listAssignedTexts(part: Assignment, run: Run): readonly string[] {
  if (part.value.type === "Word") return toTexts(part.value, run.scope);
  return [part.value.elements.map((element) => toTexts(element, run.scope)[0] ?? "").join(" ")];
}

// Judges nothing.

/**
 * Returns each reading of an argument with the words that its patterns may add: a second file, which
 * matters where words are counted, or unknown words.
 */
function spreadGlobs(
  { parts = [] }: Word,
  ways: readonly Value[],
  isSplit = true,
): readonly Value[] {
  const splits = isSplit && parts.some(isExpansion);
  if (!splits && !parts.some(expandsToMany)) return ways;
  return ways.map((fields) =>
    fields.flatMap((field) => (isGlob(field) ? [field, splits ? UNKNOWN_VALUE : field] : [field])),
  );
}

function isExpansion({ type }: WordPart): boolean {
  return type === "SimpleExpansion" || type === "ParameterExpansion";
}

/** Whether the shell matches file names here, or expands an array to its fields: `"$@"`, `"${a[@]}"`. */
function expandsToMany(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.some(isArray);
  return /^(?:Glob|ExtendedGlob|BraceExpansion)$/.test(part.type) || isArray(part);
}

function isArray(part: WordPart): boolean {
  if (part.type === "SimpleExpansion") return /^\$[@*]$/.test(part.text);
  if (part.type !== "ParameterExpansion") return false;
  return /^[@*]$/.test(part.index?.value ?? part.parameter);
}
