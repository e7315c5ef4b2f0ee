// Owns what a person types to run pairpty: its name, `npx pairpty` where npx started it, or `npm start --silent --` in its own checkout. The
// process that prints decides, so a bridge's hints fit the one who reads them.

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders that such a program unpacks us into, by what ends up in the script's path. */
const RUNNERS: readonly [place: RegExp, name: string][] = [
  [/[/\\]_npx[/\\]/, "npx"],
  [/[/\\]bunx-\d+-/, "bunx"],
  [/[/\\]pnpm[/\\]dlx[-/\\]/, "pnpm dlx"],
  [/[/\\]dlx-\d+[/\\]/, "yarn dlx"],
];

/** Pure. `script` is the path that Node was started with. */
export function commandName(environment: Environment, script: string): string {
  const runner = RUNNERS.find(([place]) => place.test(script))?.[1];
  if (runner !== undefined) return `${runner} pairpty`;
  if (isOwnStart(environment, script)) return "npm start --silent --";
  return isNpx(environment) ? "npx pairpty" : "pairpty";
}

/** A checkout of pairpty itself, by its own `npm start`: its name is on nobody's PATH. */
function isOwnStart({ npm_lifecycle_event, npm_package_name }: Environment, script: string) {
  const isOurs = npm_lifecycle_event === "start" && npm_package_name === "pairpty";
  return isOurs && /[/\\]dist[/\\]bridge[/\\]cli\.js$/.test(script);
}

/**
 * Of a project's own copy, which npx prefers. What npx started may have started a pairpty that is on
 * the PATH, with the same variables: only the command line that npx ran tells the two apart.
 */
function isNpx({ npm_command, npm_lifecycle_event, npm_lifecycle_script }: Environment): boolean {
  if (npm_command !== "exec" || npm_lifecycle_event !== "npx") return false;
  return /^['"]?pairpty['"]?(\s|$)/.test(npm_lifecycle_script ?? "");
}

const COMMAND = commandName(process.env, process.argv[1] ?? "");

/** A command to type: `typed("stop")` is `npx pairpty stop` where npx started this. */
export function typed(words: string, command = COMMAND): string {
  return words === "" ? bare(command) : `${command} ${words}`;
}

/**
 * Returns the words that another program starts this pairpty with. It may have another PATH, so an
 * installed pairpty is named by its files; what npx and its like unpacked may be gone by then, so they
 * are asked again.
 */
export function commandToStart(
  words: readonly string[],
  command = COMMAND,
  { execPath, argv }: Pick<NodeJS.Process, "execPath" | "argv"> = process,
): string[] {
  const isUnpacked = /^(?:npx|bunx|pnpm|yarn) /.test(command);
  // Without -y, npx asks before it installs, and nobody is there to answer.
  if (isUnpacked) return [...command.replace(/^npx /, "npx -y ").split(" "), ...words];
  return [execPath, argv[1] ?? "pairpty", ...words];
}

/** `typed` for this run's folder: with the `--cwd` that was given, without which it would be another. */
export function typedHere(words: string, command = COMMAND, argv = process.argv): string {
  const flag = folderFlag(argv);
  return typed(words === "" ? flag : `${words} ${flag}`.trimEnd(), command);
}

/** `npm start` with nothing behind it. */
function bare(command: string): string {
  return command.replace(/(?: --silent)? --$/, "");
}

/** Pure. "--cwd ../demo" as it was typed, quoted for a shell where it must be. */
function folderFlag(all: readonly string[]): string {
  const argv = all.includes("--") ? all.slice(0, all.indexOf("--")) : all;
  const at = argv.findIndex((word) => word === "--cwd" || word.startsWith("--cwd="));
  const folder = argv[at] === "--cwd" ? argv[at + 1] : argv[at]?.slice("--cwd=".length);
  if (folder === undefined || folder === "") return "";
  const isPlain = /^[\w@%+=:,./-]+$/.test(folder);
  return `--cwd ${isPlain ? folder : `'${folder.replaceAll("'", String.raw`'\''`)}'`}`;
}

/** They know no folder; what stands behind `--` is another program's. */
const ELSEWHERE = /^(completion|deploy|help|play|relay|version)\b|(^| )(--cwd|--)( |$)|…/;

/**
 * Text with commands in backticks, as they are typed here, for this run's folder. Twice is the same as
 * once.
 */
export function asTyped(text: string, command = COMMAND, argv = process.argv): string {
  return text.replaceAll(/`pairpty(?: ([^`]*))?`/g, (_, words = "") => {
    const said = ELSEWHERE.test(words) ? typed(words, command) : typedHere(words, command, argv);
    return `\`${said}\``;
  });
}

/** A line of an example, which may have pairpty behind a pipe, a variable or a bracket. */
export function exampleTyped(line: string, command = COMMAND): string {
  return line
    .replaceAll(/(?<=^|[ (])pairpty(?= )/g, command)
    .replaceAll(/(?<=^|[ (])pairpty$/g, bare(command));
}
