// Compares paths as text. Pure: the caller has resolved both.

import { isAbsolute, relative, sep } from "node:path";

/** Whether `path` lies in `folder`; a folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === "" ||
    (relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  );
}
