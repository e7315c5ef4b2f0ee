// Owns the page of somebody who waits at the door: their name, and that it takes somebody to let them in.

import { useState } from "preact/hooks";
import { useSession } from "../context.ts";
import { Mark } from "./header.tsx";
import { NameForm } from "../people/name-form.tsx";

export function Waiting() {
  const session = useSession();
  const { store } = session;
  const [name, setName] = useState(session.being.keptName);
  const isOffline = store.bridge.value.state === "away";
  return (
    <main class="gate">
      <div class="card">
        <Mark />
        <h1>Waiting to be let in</h1>
        <p role="status">
          {isOffline
            ? "The host is offline. This page keeps waiting, and knocks when the host is back."
            : "The host knows that you are here. This page opens when they let you in."}
        </p>
        <p>{name ? `They see that ${name} is waiting.` : "Tell them who you are:"}</p>
        <NameForm
          id="waiting-name"
          button={name ? "Change" : "Tell"}
          onDone={(given) => {
            setName(given);
            session.being.hello();
          }}
        />
      </div>
    </main>
  );
}
