// Owns components that are loaded when they are first shown, so that the first prompt appears sooner.

import type { Attributes, ComponentChild } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { VisitContext } from "./context.ts";

/** Wraps a component that `load` imports: renders `waiting` until then, and shows a toast if loading fails. */
export function lazyComponent<Props>(
  load: () => Promise<(props: Props) => ComponentChild>,
  waiting: () => ComponentChild = () => null,
): (props: Props & Attributes) => ComponentChild {
  let loaded: ((props: Props) => ComponentChild) | undefined;
  return function Lazy(props: Props & Attributes) {
    // Undefined on the gate page, which has no session.
    const visit = useContext(VisitContext);
    const [isLoaded, setLoaded] = useState(loaded !== undefined);
    // A layout effect: no empty frame if the component is already loaded.
    useLayoutEffect(() => {
      if (isLoaded) return;
      const loadComponent = async (): Promise<void> => {
        try {
          loaded = await load();
          setLoaded(true);
        } catch {
          visit?.session.store.toast("Part of the page did not load. Reload the page.");
        }
      };
      void loadComponent();
    }, []);
    const Part = loaded;
    return isLoaded && Part ? <Part {...props} /> : waiting();
  };
}
