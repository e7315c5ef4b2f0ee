// Owns a field to paste into by hand, for browsers that do not let the page read the clipboard: any
// page that did not come by https, and others until they are allowed to.

import { useEffect, useRef } from "preact/hooks";

export interface PasteFieldProps {
  onText: (text: string) => void;
  onLeave: () => void;
}

export function PasteField({ onText, onLeave }: PasteFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const give = (text: string): void => {
    onLeave();
    onText(text);
  };
  return (
    <form
      class="touch-paste"
      aria-label="Paste"
      onSubmit={(event) => {
        event.preventDefault();
        give(field.current?.value ?? "");
      }}
      onKeyDown={(event) => event.key === "Escape" && onLeave()}
    >
      <p id="paste-why">
        This browser does not let the page read the clipboard. Long-press and paste here:
      </p>
      <textarea
        ref={field}
        rows={2}
        aria-label="Text to paste"
        aria-describedby="paste-why"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onPaste={(event) => {
          event.preventDefault();
          give(event.clipboardData?.getData("text/plain") ?? "");
        }}
      />
      <div class="actions">
        <button type="button" class="quiet" onClick={onLeave}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Paste
        </button>
      </div>
    </form>
  );
}
