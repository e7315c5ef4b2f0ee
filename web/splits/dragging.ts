// Owns dragging: which things on the page can be dragged as a view.

import type { Store } from "../session/store.ts";

/** What an element needs for it. */
export function drags(store: Store, key: string) {
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent): void => {
      dataTransfer?.setData("text/plain", key);
      if (dataTransfer) dataTransfer.effectAllowed = "move";
      // Later: Chromium ends a drag whose element is covered while it begins.
      setTimeout(() => void (store.dragged.value = key));
    },
    onDragEnd: (): void => void (store.dragged.value = undefined),
  };
}
