// Owns the removal of what npm and npx add to the environment when they start pairpty: terminals
// get the environment of the user's shell, not of a package script. Pure.

import { delimiter, isAbsolute } from "node:path";

/** Each of these shows that npm or a similar program started pairpty. */
const NPM_VARIABLES = [
  "npm_execpath",
  "npm_command",
  "npm_lifecycle_event",
  "npm_config_user_agent",
];

/** Folders that npm puts in front of PATH: `.bin` of every parent folder, and node-gyp. */
const NPM_PATH_FOLDER = /\/(node_modules\/\.bin|node-gyp-bin)\/?$/;

/** Removes npm's variables, which are in lower case; `NPM_CONFIG_…` in capitals is the user's. */
export function removeNpmVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!NPM_VARIABLES.some((name) => environment[name] !== undefined)) return environment;
  const isSetByNpm = (name: string, value: string | undefined): boolean => {
    if (name.startsWith("npm_") || name === "INIT_CWD") return true;
    if (name === "NODE") return value === environment["npm_node_execpath"];
    return name === "COLOR" && (value === "0" || value === "1");
  };
  const others = Object.entries(environment).filter(([name, value]) => !isSetByNpm(name, value));
  const kept: NodeJS.ProcessEnv = Object.fromEntries(others);
  if (kept["PATH"] !== undefined) kept["PATH"] = removeNpmFolders(kept["PATH"]);
  return kept;
}

function removeNpmFolders(path: string): string {
  const folders = path.split(delimiter);
  const first = folders.findIndex((folder) => !isAbsolute(folder) || !NPM_PATH_FOLDER.test(folder));
  // If every folder matches, npm did not add them.
  return first < 0 ? path : folders.slice(first).join(delimiter);
}
