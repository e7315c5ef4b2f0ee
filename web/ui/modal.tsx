// Owns a dialog's frame. The browser's own modal dialog traps the focus and gives it back.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSession } from "../context.ts";
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
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The button that it focuses may be far below.
    element?.scrollTo(0, 0);
    // Leaving the page before closing would leave the focus nowhere.
    return () => element?.close();
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
