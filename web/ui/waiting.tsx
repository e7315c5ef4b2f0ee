// Owns the page of a visitor who waits to be let in, with a field for their name.

import { useState } from "preact/hooks";
import { useSession } from "../context.ts";
import { Logo } from "./header.tsx";
import { NameForm } from "../people/name-form.tsx";
import { formatDigits } from "../people/knock-card.tsx";

export function WaitingPage() {
  const session = useSession();
  const { store } = session;
  const [name, setName] = useState(session.self.savedName);
  const isOffline = store.bridge.value.state === "away";
  return (
    <main class="gate">
      <div class="card">
        <Logo />
        <h1>Waiting to be let in</h1>
        <p role="status">
          {isOffline
            ? "The host is offline. You’ll be announced when the host is back."
            : "The host can see you’re waiting. You’ll join as soon as the host lets you in."}
        </p>
        {store.people.digits.value !== undefined && (
          <p class="digits">
            The host sees the same code if no one is in between:{" "}
            <strong>{formatDigits(store.people.digits.value)}</strong>
          </p>
        )}
        <p>{name ? `The host sees “${name}”.` : "What’s your name? The host sees it."}</p>
        <NameForm
          id="waiting-name"
          button={name ? "Change" : "Save"}
          onDone={(given) => {
            setName(given);
            session.self.sendHello();
          }}
        />
      </div>
    </main>
  );
}
