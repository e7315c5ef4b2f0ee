// Owns finding the programs that walls are made of, where systems have them: a folder of the user's
// in PATH could have anything by these names.

import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

export function findTool(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      // Not there, or not to be run.
      return false;
    }
  });
}
