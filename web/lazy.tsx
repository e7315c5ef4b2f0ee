// Owns parts of the page that are loaded when they are first shown, so that a prompt comes sooner.

import type { Attributes, ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSession } from "./context.ts";

/** Draws `waiting` until it is loaded; says so when it cannot be. */
export function lazily<Props>(
  load: () => Promise<(props: Props) => ComponentChild>,
  waiting: () => ComponentChild = () => null,
): (props: Props & Attributes) => ComponentChild {
  let loaded: ((props: Props) => ComponentChild) | undefined;
  return function Lazy(props: Props & Attributes) {
    const { store } = useSession();
    const [isLoaded, setLoaded] = useState(loaded !== undefined);
    useEffect(() => {
      if (isLoaded) return;
      const come = async (): Promise<void> => {
        try {
          loaded = await load();
          setLoaded(true);
        } catch {
          store.toast("Part of the page did not load. Reload the page.");
        }
      };
      void come();
    }, []);
    const Part = loaded;
    return isLoaded && Part ? <Part {...props} /> : waiting();
  };
}
