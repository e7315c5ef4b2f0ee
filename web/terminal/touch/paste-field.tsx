// Owns a field for pasting by hand, for browsers that block the clipboard: on pages without https, and until the
// user gives permission.

import { useEffect, useRef } from "preact/hooks";

export interface PasteFieldProps {
  onText: (text: string) => void;
  onLeave: () => void;
}

export function PasteField({ onText, onLeave }: PasteFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (text: string): void => {
    onLeave();
    onText(text);
  };
  return (
    <form
      class="touch-paste"
      aria-label="Paste"
      onSubmit={(event) => {
        event.preventDefault();
        submit(field.current?.value ?? "");
      }}
      onKeyDown={(event) => event.key === "Escape" && onLeave()}
    >
      <p id="paste-why">This browser blocked access to the clipboard. Long-press here and paste:</p>
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
          submit(event.clipboardData?.getData("text/plain") ?? "");
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
