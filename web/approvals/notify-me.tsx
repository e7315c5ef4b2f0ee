// Owns the control that lets this page notify its user. Browsers prompt only after a click; the control
// is shown until the user has decided.

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
