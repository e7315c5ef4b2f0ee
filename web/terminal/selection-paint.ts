// Owns a workaround for xterm 6: on every scroll it repaints the whole screen for the selection, even if there
// is none or the terminal is hidden.

import type { Terminal } from "@xterm/xterm";

interface SelectionService {
  readonly hasSelection: boolean;
  refresh: (isLinuxMouseSelection?: boolean) => void;
}

/** Repaints for the selection only if there is or was one; does nothing if xterm's internals changed. */
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
