// Owns how variables get behind a wall without meaning anything to the programs that build it. What a
// request adds is an agent's: LD_PRELOAD and its like, given to bubblewrap or podman themselves,
// would run the agent's code outside. So they travel under names of ours, and a shell inside gives
// them their own. Pure.

const PREFIX = "PAIRPTY_INSIDE_";

/** What a shell takes as a name; and those that some shells do not let anybody set. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SHELLS_OWN = /^(?:UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO|IFS)$/;

export interface HandedIn {
  /** For the fork, or by name for a container. */
  readonly env: Readonly<Record<string, string>>;
  /** Before the command, inside. */
  readonly words: readonly string[];
}

export function handedIn(sh: string, inside: Readonly<Record<string, string>>): HandedIn {
  const entries = Object.entries(inside).filter(
    ([name]) => NAME.test(name) && !SHELLS_OWN.test(name) && !name.startsWith(PREFIX),
  );
  if (entries.length === 0) return { env: {}, words: [] };
  const names = entries.map((_, index) => `${PREFIX}${index}`);
  const env = entries.map(([name, value], index) => [names[index], `${name}=${value}`]);
  const exported = names.map((name) => `"$${name}"`).join(" ");
  const script = `export ${exported}; unset ${names.join(" ")}; exec "$@"`;
  return { env: Object.fromEntries(env), words: [sh, "-c", script, "sh"] };
}
