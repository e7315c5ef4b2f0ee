// Owns the drag handlers of elements that stand for a view: tabs and pane heads.

import type { Store } from "../session/store.ts";

/** Returns the props that make an element draggable as the view with this key. */
export function getDragProps(store: Store, key: string) {
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent): void => {
      dataTransfer?.setData("text/plain", key);
      if (dataTransfer) dataTransfer.effectAllowed = "move";
      // Deferred: Chromium cancels a drag whose element is covered while it starts.
      setTimeout(() => void (store.dragged.value = key));
    },
    onDragEnd: (): void => void (store.dragged.value = undefined),
  };
}
