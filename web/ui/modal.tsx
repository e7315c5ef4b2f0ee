// Owns a dialog's frame. The browser's native modal dialog traps the focus and restores it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSession } from "../context.ts";
import { isFocusLost } from "../views/view.ts";
import "./modal.css";

/** Closes the dialog natively, which restores the focus; unmounting it would not. */
export function closeDialog({ currentTarget }: { currentTarget: Element }): void {
  currentTarget.closest("dialog")?.close();
}

interface ModalProps {
  title: string;
  look?: string;
  children: ComponentChildren;
}

export function Modal({ title, look, children }: ModalProps) {
  const { store } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const ownDialog = useRef(store.dialog.peek());
  useLayoutEffect(() => {
    const element = dialog.current;
    const focusedBefore = document.activeElement;
    element?.showModal();
    // The browser focuses the first button, which may be far below.
    element?.scrollTo(0, 0);
    return () => {
      element?.close();
      // The browser restores no focus if the dialog was already unmounted.
      if (isFocusLost() && focusedBefore instanceof HTMLElement) focusedBefore.focus();
      // The element that had the focus may be gone, such as a menu's row.
      if (isFocusLost()) store.views.refocus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={look}
      aria-labelledby="dialog-title"
      // Immediately, not in the later close event: the next key belongs to the page.
      onCancel={() => {
        dialog.current?.close();
        store.dialog.value = undefined;
      }}
      // Fires asynchronously, when another dialog may be open.
      onClose={() => {
        if (store.dialog.peek() === ownDialog.current) store.dialog.value = undefined;
      }}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="dialog-body">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
