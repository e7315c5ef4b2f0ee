// Owns a dialog's frame. The browser's own modal dialog traps the focus and gives it back.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSession } from "../context.ts";
import { isFocusNowhere } from "../views/focus.ts";
import "./modal.css";

/** By the browser: it gives the focus back, which a dialog that is merely taken away does not. */
export function close({ currentTarget }: { currentTarget: Element }): void {
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
  const mine = useRef(store.dialog.peek());
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    // The button that it focuses may be far below.
    element?.scrollTo(0, 0);
    return () => {
      element?.close();
      // A browser does not give it back where the dialog has left the page already.
      if (isFocusNowhere() && before instanceof HTMLElement) before.focus();
      // What had it may be gone, as the row of a menu is.
      if (isFocusNowhere()) store.views.refocus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={look}
      aria-labelledby="dialog-title"
      // At once, and not when the browser tells of its end: the next key is for what comes then.
      onCancel={() => {
        dialog.current?.close();
        store.dialog.value = undefined;
      }}
      // Told a moment later, when there may be another.
      onClose={() => {
        if (store.dialog.peek() === mine.current) store.dialog.value = undefined;
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
