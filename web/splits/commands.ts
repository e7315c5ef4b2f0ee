// Owns the commands for splits. The first one that runs loads the code behind them.

import type { Aim, Command } from "../commands/command.ts";
import type { Side } from "./layout.ts";
import { splitsOf } from "./load.ts";
import type { Splits } from "./splits.ts";

export const TAKE_OUT: Command = {
  id: "pane.take-out",
  title: "Take this pane out of the split",
  keys: "Alt+Shift+X",
  isEnabled: isInSplit,
  run: (aim) => withSplits(aim, (splits, view) => splits.take(view)),
};

export const SPLIT_COMMANDS: readonly Command[] = [
  splitting("right", "Split right: open a terminal", "Alt+S"),
  splitting("down", "Split down: open a terminal", "Alt+Shift+S"),
  going("left", "Pane on the left", "Alt+Shift+ArrowLeft"),
  going("right", "Pane on the right", "Alt+Shift+ArrowRight"),
  going("up", "Pane above", "Alt+Shift+ArrowUp"),
  going("down", "Pane below", "Alt+Shift+ArrowDown"),
  growing("larger", "Larger pane", "Alt+Shift+=", 1),
  growing("smaller", "Smaller pane", "Alt+Shift+-", -1),
  {
    id: "pane.swap",
    title: "Swap this pane with the next",
    keys: "Alt+Shift+M",
    isEnabled: isInSplit,
    run: (aim) => withSplits(aim, (splits, view) => splits.swap(view)),
  },
  TAKE_OUT,
];

function splitting(side: Side, title: string, keys: string): Command {
  return {
    id: `split.${side}`,
    title,
    keys,
    isEnabled: ({ view }) => view !== undefined,
    isBusy: ({ session }) => session.store.spawning.value,
    onBusy: ({ session }) => session.store.inputHold.refuseAnother(),
    refusal: ({ session: { store } }) => {
      if (store.reachable.peek()) return undefined;
      return store.whyOver.peek() ?? "Not connected. Try again in a moment.";
    },
    run: (aim) => {
      const { store } = aim.session;
      // Holds input for the new terminal already while the splits' code loads.
      if (store.mayEdit.peek()) store.inputHold.begin();
      withSplits(aim, (splits, view) => void splits.split(aim.session, view, side));
    },
  };
}

function going(side: Side, title: string, keys: string): Command {
  return {
    id: `pane.${side}`,
    title,
    keys,
    isEnabled: isInSplit,
    run: (aim) => withSplits(aim, (splits, view) => splits.go(view, side)),
  };
}

function growing(id: string, title: string, keys: string, steps: number): Command {
  return {
    id: `pane.${id}`,
    title,
    keys,
    isEnabled: isInSplit,
    run: (aim) => withSplits(aim, (splits, view) => splits.grow(view, steps)),
  };
}

function isInSplit({ session: { store }, view }: Aim): boolean {
  return view !== undefined && store.splits.value?.layoutOf(store.views.key(view)) !== undefined;
}

function withSplits(
  { session: { store }, view }: Aim,
  run: (splits: Splits, view: NonNullable<Aim["view"]>) => void,
): void {
  const loaded = store.splits.peek();
  if (!view) return;
  // Synchronous once loaded: the next key must reach the pane that this one focuses.
  if (loaded) return run(loaded, view);
  void splitsOf(store).then((splits) =>
    splits ? run(splits, view) : store.inputHold.failed(undefined),
  );
}
