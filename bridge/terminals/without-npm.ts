// Owns taking off what npm, npx and their like put around pairpty when they start it: terminals get
// the environment of whoever typed that, not of a package's script. Pure.

import { delimiter, isAbsolute } from "node:path";

/** Any of these shows that such a program started us. */
const SIGNS = ["npm_execpath", "npm_command", "npm_lifecycle_event", "npm_config_user_agent"];

/** What they put in front of PATH: the programs of every folder upwards, and node-gyp. */
const PUT_IN_FRONT = /\/(node_modules\/\.bin|node-gyp-bin)\/?$/;

/**
 * Their variables are in lower case; `NPM_CONFIG_…` in capitals is the user's. A lower-case one of
 * the user's own cannot be told from theirs, and goes too.
 */
export function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!SIGNS.some((name) => environment[name] !== undefined)) return environment;
  const isTheirs = (name: string, value: string | undefined): boolean => {
    if (name.startsWith("npm_") || name === "INIT_CWD") return true;
    if (name === "NODE") return value === environment["npm_node_execpath"];
    return name === "COLOR" && (value === "0" || value === "1");
  };
  const others = Object.entries(environment).filter(([name, value]) => !isTheirs(name, value));
  const kept: NodeJS.ProcessEnv = Object.fromEntries(others);
  if (kept["PATH"] !== undefined) kept["PATH"] = ownPath(kept["PATH"]);
  return kept;
}

function ownPath(path: string): string {
  const folders = path.split(delimiter);
  const first = folders.findIndex((folder) => !isAbsolute(folder) || !PUT_IN_FRONT.test(folder));
  // With nothing of the user's behind it, it was not put in front of anything.
  return first < 0 ? path : folders.slice(first).join(delimiter);
}
