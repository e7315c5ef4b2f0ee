// Owns where the installed page starts: in the workspace that this browser used last. That address
// has no secret; opening it needs the browser's saved link or a new one.

import { WORKSPACE_PATTERN, workspacePath } from "../../protocol/workspace.ts";
import type { BrowserStorage } from "./device.ts";

export const LAST_WORKSPACE_KEY = "pairpty:last";

export interface StartPage {
  readonly location: Pick<Location, "pathname" | "hash" | "replace">;
  readonly storage: Pick<NonNullable<BrowserStorage>, "getItem"> | undefined;
  readonly isInstalled: boolean;
}

export function reopenLastWorkspace({ location, storage, isInstalled: is }: StartPage): void {
  if (!is || location.pathname !== "/" || location.hash !== "") return;
  const last = storage?.getItem(LAST_WORKSPACE_KEY) ?? "";
  if (WORKSPACE_PATTERN.test(last)) location.replace(workspacePath(last));
}

export function isInstalled(): boolean {
  return matchMedia("(display-mode: standalone)").matches;
}
