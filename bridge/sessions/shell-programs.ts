// Owns which programs read typed input as commands: interactive shells, and programs that forward
// to one. Pure. A shell that runs a line or a file reads no commands from its terminal.

import type { RunningProgram } from "../processes/foreground.ts";

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
export function forwardsInput(program: Program): boolean {
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
