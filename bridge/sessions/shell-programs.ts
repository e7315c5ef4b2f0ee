// Owns which programs read typed input as commands: interactive shells, and programs that forward
// to one. Pure. A shell that runs a line or a file reads no commands from its terminal. Also owns
// which program reads a terminal's input, given its foreground and background programs. And every
// way in which a shell may read the lines that an agent submits.

import type { RunningProgram, Foreground } from "../processes/foreground.ts";
import type { LineGrammar, SentLine, TypedResult } from "./pending-line.ts";

type Program = Pick<RunningProgram, "path" | "argv">;

const SHELLS: ReadonlySet<string> = new Set(
  "sh ash bash dash fish ksh mksh rbash zsh csh tcsh pwsh powershell nu elvish xonsh".split(" "),
);

/** Forward input to a shell, local or remote. */
const SHELL_GATEWAYS: ReadonlySet<string> = new Set(
  "ssh mosh mosh-client telnet docker podman nerdctl kubectl oc lxc machinectl tmux screen zellij su login nsenter chroot unshare script expect socat nc ncat minicom picocom vagrant adb toolbox distrobox".split(
    " ",
  ),
);

/** Run another program, and are in the foreground instead of it. */
const PREFIXES: ReadonlySet<string> = new Set("sudo doas busybox".split(" "));

/** Options of shells that take the next word. */
const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set([
  "--rcfile",
  "--init-file",
  "-o",
  "+o",
  "-O",
  "+O",
]);

export function takesCommands(program: Program): boolean {
  return isInteractiveShell(program) || forwardsInput(program);
}

/** Whether it is a shell that reads its commands from the terminal. */
export function isInteractiveShell(program: Program): boolean {
  return SHELLS.has(getProgramName(program)) && !hasTask(program.argv.slice(1));
}

/** Whether it is a shell that runs a line or a file, and takes no commands from the terminal. */
export function runsTask(program: Program): boolean {
  return SHELLS.has(getProgramName(program)) && hasTask(program.argv.slice(1));
}

/** Whether it forwards input to a hidden shell, on another machine or terminal. */
function forwardsInput(program: Program): boolean {
  const name = getProgramName(program);
  if (PREFIXES.has(name)) return program.argv.slice(1).some((word) => startsShell(word));
  return SHELL_GATEWAYS.has(name);
}

/** Whether the line starts only such a program: then the input to it is judged. */
export function takesCommandsByLine(line: string): boolean {
  return takesCommands({ path: "", argv: line.trim().split(/\s+/) });
}

/** Whether a line may start a shell, or a program that forwards to one. */
export function mentionsShell(line: string): boolean {
  return line.split(/[^\w.-]+/).some((word) => SHELLS.has(word) || SHELL_GATEWAYS.has(word));
}

/** Whether a word is a shell's name, or an option that starts one: `sudo -i`, `sudo -s`. */
function startsShell(word: string): boolean {
  const name = word.slice(word.lastIndexOf("/") + 1);
  return SHELLS.has(name) || SHELL_GATEWAYS.has(name) || /^-[a-zA-Z]*[is]$/.test(word);
}

/** Returns the name of its file, or its first word if the file is unknown. */
export function getProgramName({ path, argv }: Program): string {
  const words = (path === "" ? argv[0] : path) ?? "";
  const name = words.slice(words.lastIndexOf("/") + 1);
  // A login shell's first word begins with a hyphen.
  return name.replace(/^-/, "").replace(/ \(deleted\)$/, "");
}

/** Whether the arguments have a line (`-c`) or a file to run. */
function hasTask(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (OPTIONS_WITH_VALUE.has(word)) at += 1;
    else if (word === "--" || word === "-") return at + 1 < args.length;
    else if (/^-[A-Za-z]*c/.test(word) || word === "--command") return true;
    else if (/^[-+][A-Za-z]*s/.test(word)) return false;
    else if (!/^[-+]/.test(word)) return true;
  }
  return false;
}

export type InputReader =
  /** A shell that waits for input, alone in the foreground. */
  | "prompt"
  /** A shell that runs something at the moment, or the foreground is unknown. */
  | "busy"
  /** A program that forwards input to a remote or hidden shell: ssh, tmux, docker. */
  | "elsewhere"
  /** Another program; a shell in the background reads the rest. */
  | "behind"
  /** Another program, without a shell in the background. */
  | "other";

/** Returns which program reads the terminal; `command` is the command of its session. */
export function findReader({ front, behind }: Foreground, command: string): InputReader {
  const [only, ...more] = front;
  if (only === undefined) return "busy";
  if (front.some(forwardsInput)) return "elsewhere";
  if (front.some(isInteractiveShell)) {
    return more.length === 0 && only.isWaiting ? "prompt" : "busy";
  }
  return behind.some(takesCommands) || mentionsShell(command) ? "behind" : "other";
}

export interface LineReadings {
  /** The lines as typed, for display. */
  readonly typed: string;
  /** Lines that a shell may read instead, if its current line is unknown. */
  readonly alternatives: readonly string[];
  /** More readings exist than are listed. */
  readonly isCut: boolean;
}

/** The policy judges each; a line with more requires an approval as dangerous. */
export const MAX_READINGS = 200;

/** Whether the keys submit something that a shell may run. */
export function isAnythingSent(sent: readonly SentLine[]): boolean {
  return sent.some((line) => line.kind === "unknown" || line.text.trim() !== "");
}

/** Returns what a shell may read when these lines reach it. */
export function findReadings(
  { sent, text, isCut: isMore }: Pick<TypedResult, "sent" | "text" | "isCut">,
  grammar: Pick<LineGrammar, "isSurelyComplete">,
): LineReadings {
  const others = new Set<string>();
  let isCut = isMore;
  for (const line of sent) {
    if (line.kind === "known") continue;
    for (const part of listSuffixes(line.typed)) {
      if (others.size >= MAX_READINGS) {
        isCut = true;
        break;
      }
      // An incomplete line is judged with the line that completes it.
      if (part.trim() !== "" && grammar.isSurelyComplete(part)) others.add(part);
    }
  }
  others.delete(text);
  return { typed: text, alternatives: [...others], isCut };
}

/** Yields the text from each of its lines on, and from each character of its last line on. */
function* listSuffixes(typed: string): Generator<string> {
  const last = typed.lastIndexOf("\n") + 1;
  yield typed;
  for (let at = typed.indexOf("\n"); at >= 0; at = typed.indexOf("\n", at + 1)) {
    yield typed.slice(at + 1);
  }
  for (let at = last + 1; at < typed.length; at++) yield typed.slice(at);
}
