// Owns drawing toasts, the short messages in the corner.

import { useSession } from "../context.ts";
import { MessageText } from "./message-text.tsx";

export function Toasts() {
  const { store } = useSession();
  return (
    <div class="toasts messages" role="log" aria-live="polite" aria-label="Messages">
      {store.toasts.all.value.map(({ key, text }) => (
        <div key={key} class="toast">
          <p>
            <MessageText text={text} />
          </p>
          <button
            type="button"
            class="icon-button"
            aria-label="Dismiss message"
            onClick={() => store.toasts.dismiss(key)}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
