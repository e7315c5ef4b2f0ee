// Owns a button that copies a text and shows whether it worked.

import { useEffect, useState } from "preact/hooks";

/** Long enough to be read. */
const FEEDBACK_MS = 1500;

export function CopyButton({ text, what }: { text: () => string; what: string }) {
  const [feedback, setFeedback] = useState("");
  useEffect(() => {
    if (feedback === "") return undefined;
    const timer = setTimeout(() => setFeedback(""), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [feedback]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setFeedback("Copied");
    } catch {
      // No permission, or the page was not loaded over TLS.
      setFeedback("Not allowed");
    }
  };
  return (
    <button
      type="button"
      class="small-button"
      aria-label={feedback === "" ? `Copy ${what}` : feedback}
      onClick={() => void copy()}
    >
      {feedback === "" ? "Copy" : feedback}
    </button>
  );
}
