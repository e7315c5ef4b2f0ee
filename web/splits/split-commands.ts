// Owns the commands for splits. The first one that runs loads the code behind them. Also owns when
// the code for splits is loaded: with the first split, or at start if this browser stored some. The
// rest of this folder is loaded lazily.

import type { CommandContext, Command } from "../commands/command.ts";
import { browserStorage } from "../session/device.ts";
import type { Store } from "../session/store.ts";
import type { Side } from "./layout.ts";
import type { Splits } from "./splits.ts";

const getStorageKey = ({ workspace }: Store): string => `pairpty:layouts:${workspace}`;

/** Loads splits once; if that fails, shows a toast and returns undefined. */
export async function loadSplits(store: Store): Promise<Splits | undefined> {
  if (store.splits.peek()) return store.splits.peek();
  try {
    const module = await import("./splits.ts");
    const storage = browserStorage();
    const key = getStorageKey(store);
    store.splits.value ??= new module.Splits(store, {
      get: () => storage?.getItem(key) ?? "",
      set: (text) => storage?.setItem(key, text),
    });
  } catch {
    store.toast("Part of the page did not load. Reload the page.");
  }
  return store.splits.peek();
}

export function restoreSplits(store: Store): void {
  if ((browserStorage()?.getItem(getStorageKey(store)) ?? "[]") !== "[]") void loadSplits(store);
}

export const TAKE_OUT: Command = {
  id: "pane.take-out",
  title: "Take this pane out of the split",
  keys: "Alt+Shift+X",
  isEnabled: isInSplit,
  run: (context) => withSplits(context, (splits, view) => splits.takeOut(view)),
};

export const SPLIT_COMMANDS: readonly Command[] = [
  createSplitCommand("right", "Split right: open a terminal", "Alt+S"),
  createSplitCommand("down", "Split down: open a terminal", "Alt+Shift+S"),
  createFocusCommand("left", "Pane on the left", "Alt+Shift+ArrowLeft"),
  createFocusCommand("right", "Pane on the right", "Alt+Shift+ArrowRight"),
  createFocusCommand("up", "Pane above", "Alt+Shift+ArrowUp"),
  createFocusCommand("down", "Pane below", "Alt+Shift+ArrowDown"),
  createGrowCommand("larger", "Larger pane", "Alt+Shift+=", 1),
  createGrowCommand("smaller", "Smaller pane", "Alt+Shift+-", -1),
  {
    id: "pane.swap",
    title: "Swap this pane with the next",
    keys: "Alt+Shift+M",
    isEnabled: isInSplit,
    run: (context) => withSplits(context, (splits, view) => splits.swap(view)),
  },
  TAKE_OUT,
];

function createSplitCommand(side: Side, title: string, keys: string): Command {
  return {
    id: `split.${side}`,
    title,
    keys,
    isEnabled: ({ view }) => view !== undefined,
    isBusy: ({ session }) => session.store.spawning.value,
    onBusy: ({ session }) => session.store.inputHold.refuseAnother(),
    refusal: ({ session: { store } }) => {
      if (store.reachable.peek()) return undefined;
      return store.overReason.peek() ?? "Not connected. Try again in a moment.";
    },
    run: (context) => {
      const { store } = context.session;
      // Holds input for the new terminal already while the splits' code loads.
      if (store.mayEdit.peek()) store.inputHold.begin();
      withSplits(context, (splits, view) => void splits.split(context.session, view, side));
    },
  };
}

function createFocusCommand(side: Side, title: string, keys: string): Command {
  return {
    id: `pane.${side}`,
    title,
    keys,
    isEnabled: isInSplit,
    run: (context) => withSplits(context, (splits, view) => splits.focusNeighbour(view, side)),
  };
}

function createGrowCommand(id: string, title: string, keys: string, steps: number): Command {
  return {
    id: `pane.${id}`,
    title,
    keys,
    isEnabled: isInSplit,
    run: (context) => withSplits(context, (splits, view) => splits.grow(view, steps)),
  };
}

function isInSplit({ session: { store }, view }: CommandContext): boolean {
  return view !== undefined && store.splits.value?.findLayout(store.views.key(view)) !== undefined;
}

function withSplits(
  { session: { store }, view }: CommandContext,
  run: (splits: Splits, view: NonNullable<CommandContext["view"]>) => void,
): void {
  const loaded = store.splits.peek();
  if (!view) return;
  // Synchronous once loaded: the next key must reach the pane that this one focuses.
  if (loaded) return run(loaded, view);
  void loadSplits(store).then((splits) =>
    splits ? run(splits, view) : store.inputHold.onFailed(undefined),
  );
}
