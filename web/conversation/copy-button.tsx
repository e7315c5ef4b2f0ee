// Owns a button that copies a text and shows whether it worked.

import { useEffect, useState } from "preact/hooks";

/** Long enough to be read. */
const TOLD_MS = 1500;

export function CopyButton({ text, what }: { text: () => string; what: string }) {
  const [told, setTold] = useState("");
  useEffect(() => {
    if (told === "") return undefined;
    const timer = setTimeout(() => setTold(""), TOLD_MS);
    return () => clearTimeout(timer);
  }, [told]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setTold("Copied");
    } catch {
      // No permission, or the page was not loaded over TLS.
      setTold("Not allowed");
    }
  };
  return (
    <button
      type="button"
      class="small-button"
      aria-label={told === "" ? `Copy ${what}` : told}
      onClick={() => void copy()}
    >
      {told === "" ? "Copy" : told}
    </button>
  );
}
