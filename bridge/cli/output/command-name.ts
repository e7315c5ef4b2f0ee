// Decides how a person types the pairpty command: `pairpty`, `npx pairpty` if npx started it, or `npm
// start --silent --` in a checkout. Each process decides for itself, so hints fit the reader.

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders into which package runners unpack pairpty, recognised in the script's path. */
const RUNNERS: readonly [place: RegExp, name: string][] = [
  [/[/\\]_npx[/\\]/, "npx"],
  [/[/\\]bunx-\d+-/, "bunx"],
  [/[/\\]pnpm[/\\]dlx[-/\\]/, "pnpm dlx"],
  [/[/\\]dlx-\d+[/\\]/, "yarn dlx"],
];

/** Returns the command for this environment; `script` is the path that Node was started with. Pure. */
export function getCommandName(environment: Environment, script: string): string {
  const runner = RUNNERS.find(([place]) => place.test(script))?.[1];
  if (runner !== undefined) return `${runner} pairpty`;
  if (isCheckoutStart(environment, script)) return "npm start --silent --";
  return isNpx(environment) ? "npx pairpty" : "pairpty";
}

/** Whether `npm start` runs a checkout of pairpty itself, which is not on the PATH. */
function isCheckoutStart({ npm_lifecycle_event, npm_package_name }: Environment, script: string) {
  const isOurs = npm_lifecycle_event === "start" && npm_package_name === "pairpty";
  return isOurs && /[/\\]dist[/\\]bridge[/\\]cli\.js$/.test(script);
}

/**
 * Whether npx started a project's own copy. npx's variables are inherited, so a pairpty on the PATH may
 * have them too; only the command line that npx ran tells them apart.
 */
function isNpx({ npm_command, npm_lifecycle_event, npm_lifecycle_script }: Environment): boolean {
  if (npm_command !== "exec" || npm_lifecycle_event !== "npx") return false;
  return /^['"]?pairpty['"]?(\s|$)/.test(npm_lifecycle_script ?? "");
}

const COMMAND = getCommandName(process.env, process.argv[1] ?? "");

/** Returns a command to type: `typed("stop")` is `npx pairpty stop` if npx started this. */
export function formatCommand(words: string, command = COMMAND): string {
  return words === "" ? withoutSeparator(command) : `${command} ${words}`;
}

/**
 * Returns the words with which another program starts this pairpty. Its PATH may differ, so an
 * installed pairpty is named by its files; npx and similar runners are called again, since their copy
 * may be gone.
 */
export function commandToStart(
  words: readonly string[],
  command = COMMAND,
  { execPath, argv }: Pick<NodeJS.Process, "execPath" | "argv"> = process,
): string[] {
  const isUnpacked = /^(?:npx|bunx|pnpm|yarn) /.test(command);
  // Without -y, npx would wait for a confirmation.
  if (isUnpacked) return [...command.replace(/^npx /, "npx -y ").split(" "), ...words];
  return [execPath, argv[1] ?? "pairpty", ...words];
}

/** Returns `words` for this run's folder, with the `--cwd` that was given. */
export function formatCommandHere(words: string, command = COMMAND, argv = process.argv): string {
  const flag = formatFolderFlag(argv);
  return formatCommand(words === "" ? flag : `${words} ${flag}`.trimEnd(), command);
}

/** Returns `npm start` without its trailing `--`. */
function withoutSeparator(command: string): string {
  return command.replace(/(?: --silent)? --$/, "");
}

/** Returns `--cwd ../demo` as it was typed, quoted if needed. Pure. */
function formatFolderFlag(all: readonly string[]): string {
  const argv = all.includes("--") ? all.slice(0, all.indexOf("--")) : all;
  const at = argv.findIndex((word) => word === "--cwd" || word.startsWith("--cwd="));
  const folder = argv[at] === "--cwd" ? argv[at + 1] : argv[at]?.slice("--cwd=".length);
  if (folder === undefined || folder === "") return "";
  const isPlain = /^[\w@%+=:,./-]+$/.test(folder);
  return `--cwd ${isPlain ? folder : `'${folder.replaceAll("'", String.raw`'\''`)}'`}`;
}

/** Commands that take no folder; words after `--` belong to another program. */
const WITHOUT_FOLDER = /^(completion|deploy|help|play|relay|version)\b|(^| )(--cwd|--)( |$)|…/;

/** Replaces commands in backticks by what to type here for this run's folder. Idempotent. */
export function replaceCommands(text: string, command = COMMAND, argv = process.argv): string {
  return text.replaceAll(/`pairpty(?: ([^`]*))?`/g, (_, words = "") => {
    const shown = WITHOUT_FOLDER.test(words)
      ? formatCommand(words, command)
      : formatCommandHere(words, command, argv);
    return `\`${shown}\``;
  });
}

/** Replaces pairpty in a line of an example, also after a pipe, a variable or a bracket. */
export function replaceExampleCommand(line: string, command = COMMAND): string {
  return line
    .replaceAll(/(?<=^|[ (])pairpty(?= )/g, command)
    .replaceAll(/(?<=^|[ (])pairpty$/g, withoutSeparator(command));
}
