// Owns the lock in the bar and the popover that explains it: who can read this room, and what the
// lock does not cover. Loaded where a relay of others may carry the room.

import { useRef } from "preact/hooks";
import { useSession } from "../context.ts";
import "./lock.css";

const ID = "lock-details";

export function Lock() {
  const { isSealed, store } = useSession();
  const button = useRef<HTMLButtonElement>(null);
  const details = useRef<HTMLDivElement>(null);
  const title = isSealed ? "End-to-end encrypted" : "Readable by the relay";
  const relay = new URL(store.address.value ?? location.origin).host;
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`icon-button lock ${isSealed ? "sealed" : "readable"}`}
        popovertarget={ID}
        aria-label={title}
        title={title}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <rect x="4" y="9" width="12" height="8" rx="1.5" />
          <path
            d={isSealed ? "M6.5 9V6.5a3.5 3.5 0 0 1 7 0V9" : "M6.5 9V5.5a3.5 3.5 0 0 1 6.6-1.6"}
          />
        </svg>
      </button>
      <div
        ref={details}
        id={ID}
        class="lock-details"
        popover="auto"
        role="dialog"
        aria-label={title}
        onBeforeToggle={() => {
          const below = button.current?.getBoundingClientRect().bottom ?? 0;
          details.current?.style.setProperty("top", `${below + GAP}px`);
        }}
      >
        <h2>{title}</h2>
        {isSealed ? <SealedText relay={relay} /> : <ReadableText relay={relay} />}
      </div>
    </>
  );
}

/** Distance from the bar, px. */
const GAP = 6;

function SealedText({ relay }: { relay: string }) {
  return (
    <>
      <p>
        What is typed and shown here is encrypted between this page and the host’s machine. The
        relay at <strong>{relay}</strong> carries it. It can neither read it nor type.
      </p>
      <p>
        <strong>Readable by the relay:</strong> what agents read and run through it, and what
        clients with a plain link see and type. The relay also sees who is connected, when, and how
        much is sent.
      </p>
      <p>
        <strong>This page came from {relay}.</strong> Whoever serves the page could change it, and
        then read along.
      </p>
    </>
  );
}

function ReadableText({ relay }: { relay: string }) {
  return (
    <>
      <p>
        This room is not end-to-end encrypted. Whoever runs the relay or tunnel at{" "}
        <strong>{relay}</strong> can read everything that is typed and shown, and can type.
      </p>
      <p>
        To encrypt it, the host starts pairpty with <code>--e2e on</code> and sends a new link.
      </p>
    </>
  );
}
