// Owns passing variables into a sandbox so that they mean nothing to the programs that build it.
// Variables of a request come from an agent: LD_PRELOAD, given to bubblewrap or podman, would run the
// agent's code outside. So they travel under neutral names, and a shell inside renames them. Pure.

const PREFIX = "PAIRPTY_INSIDE_";

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Valid names that some shells do not allow to be set. */
const RESERVED_NAMES = /^(?:UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO|IFS)$/;

export interface RenamedVariables {
  /** Variables for the process, or by name for a container. */
  readonly env: Readonly<Record<string, string>>;
  /** Words before the command, inside. */
  readonly words: readonly string[];
}

export function renameVariables(
  sh: string,
  inside: Readonly<Record<string, string>>,
): RenamedVariables {
  const entries = Object.entries(inside).filter(
    ([name]) => SHELL_NAME.test(name) && !RESERVED_NAMES.test(name) && !name.startsWith(PREFIX),
  );
  if (entries.length === 0) return { env: {}, words: [] };
  const names = entries.map((_, index) => `${PREFIX}${index}`);
  const env = entries.map(([name, value], index) => [names[index], `${name}=${value}`]);
  const exported = names.map((name) => `"$${name}"`).join(" ");
  const script = `export ${exported}; unset ${names.join(" ")}; exec "$@"`;
  return { env: Object.fromEntries(env), words: [sh, "-c", script, "sh"] };
}
