// Owns the control that lets this page notify its user. Browsers prompt only after a click; the control
// is shown until the user has decided.

import { useState } from "preact/hooks";
import { getPermission } from "./question-notifier.ts";

export function NotifyMe() {
  const [state, setState] = useState(getPermission);
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
