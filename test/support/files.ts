// Owns finding the plain files of a folder, for tests that look for what should be in none.

import { readdirSync } from "node:fs";
import { join } from "node:path";

export function filesBelow(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}
