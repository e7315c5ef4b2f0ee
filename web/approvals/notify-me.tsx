// Owns the control by which a person lets this page notify them. Browsers ask only after a click, and
// so do we: it is there as long as the browser has not been told.

import { useState } from "preact/hooks";
import { permission } from "./notifier.ts";

export function NotifyMe() {
  const [state, setState] = useState(permission);
  if (state !== "default") return null;
  return (
    <button
      type="button"
      class="notify-me"
      title="Get a notification when an agent asks while this page is out of sight"
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        const ask = async (): Promise<void> => setState(await Notification.requestPermission());
        void ask();
      }}
    >
      Notify me when I’m away
    </button>
  );
}
