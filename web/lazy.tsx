// Owns parts of the page that are loaded when they are first shown, so that a prompt comes sooner.

import type { Attributes, ComponentChild } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { VisitContext } from "./context.ts";

/** Draws `waiting` until it is loaded; says so when it cannot be. */
export function lazily<Props>(
  load: () => Promise<(props: Props) => ComponentChild>,
  waiting: () => ComponentChild = () => null,
): (props: Props & Attributes) => ComponentChild {
  let loaded: ((props: Props) => ComponentChild) | undefined;
  return function Lazy(props: Props & Attributes) {
    // Undefined at the gate.
    const visit = useContext(VisitContext);
    const [isLoaded, setLoaded] = useState(loaded !== undefined);
    // Without a frame in between where it is here already.
    useLayoutEffect(() => {
      if (isLoaded) return;
      const come = async (): Promise<void> => {
        try {
          loaded = await load();
          setLoaded(true);
        } catch {
          visit?.session.store.toast("Part of the page did not load. Reload the page.");
        }
      };
      void come();
    }, []);
    const Part = loaded;
    return isLoaded && Part ? <Part {...props} /> : waiting();
  };
}
