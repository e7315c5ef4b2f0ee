// Owns a detour around xterm 6: with every scroll it paints the whole screen a second time, for a
// selection that mostly is not there, and even for a terminal out of view.

import type { Terminal } from "@xterm/xterm";

interface SelectionService {
  readonly hasSelection: boolean;
  refresh: (isLinuxMouseSelection?: boolean) => void;
}

/** Paints for a selection only where one is, or was. Changes nothing if xterm has changed inside. */
export function paintSelectionsOnly(term: Terminal): void {
  const core: unknown = Reflect.get(term, "_core");
  const service: unknown = isObject(core) ? Reflect.get(core, "_selectionService") : undefined;
  if (!isSelectionService(service)) return;
  const refresh = service.refresh.bind(service);
  let isPainted = false;
  service.refresh = (isLinuxMouseSelection) => {
    const isThere = service.hasSelection;
    if (!isThere && !isPainted) return;
    isPainted = isThere;
    refresh(isLinuxMouseSelection);
  };
}

function isSelectionService(value: unknown): value is SelectionService {
  return (
    isObject(value) &&
    typeof Reflect.get(value, "refresh") === "function" &&
    typeof Reflect.get(value, "hasSelection") === "boolean"
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
