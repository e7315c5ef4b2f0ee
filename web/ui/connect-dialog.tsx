// Owns the dialog that connects an agent: the bridge creates a token for a user who may share, and the
// dialog shows it once, as configuration for the agent's program.

import { useEffect, useState } from "preact/hooks";
import type { HttpClientName } from "../../protocol/connect.ts";
import {
  getConfiguration,
  getHints,
  getInstruction,
  HTTP_CLIENTS,
} from "../../protocol/connect.ts";
import { useSession } from "../context.ts";
import { closeDialog, Modal } from "./modal.tsx";
import "./connect.css";

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { text: "1 day", value: DAY_MS },
  { text: "30 days", value: 30 * DAY_MS },
] as const;

export function ConnectDialog() {
  const session = useSession();
  const { people } = session.store;
  const [client, setClient] = useState<HttpClientName>(HTTP_CLIENTS[0]);
  const [expiresInMs, setExpires] = useState<number>(DAY_MS);
  // A token created before this dialog opened belongs to another dialog.
  const [before] = useState(people.shared.peek());
  const created = people.shared.value === before ? undefined : people.shared.value;
  useEffect(() => () => void (people.shared.value = undefined), []);
  return (
    <Modal title="Connect an agent">
      <p>
        The agent’s program gets its own token. With it, the agent can start terminals here and read
        them; pairpty asks you before it runs anything that isn’t on the safe list.
      </p>
      <form
        class="connect-form"
        onSubmit={(event) => {
          event.preventDefault();
          session.send({ type: "room:share", role: "agent", label: client, expiresInMs });
        }}
      >
        <select
          value={client}
          aria-label="The agent’s program"
          onChange={({ currentTarget }) =>
            setClient(HTTP_CLIENTS.find((one) => one === currentTarget.value) ?? HTTP_CLIENTS[0])
          }
        >
          {HTTP_CLIENTS.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <select
          value={expiresInMs}
          aria-label="Token lifetime"
          disabled={created !== undefined}
          onChange={({ currentTarget }) => setExpires(Number(currentTarget.value))}
        >
          {LIFETIMES.map(({ text, value }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        {!created && (
          <button type="submit" class="primary">
            Create token
          </button>
        )}
      </form>
      {created && <Snippet client={client} link={created.link} />}
      <div class="actions">
        <button type="button" class="quiet" onClick={closeDialog}>
          Done
        </button>
      </div>
    </Modal>
  );
}

function Snippet({ client, link }: { client: HttpClientName; link: string }) {
  const { store } = useSession();
  const { origin, pathname, hash } = new URL(link);
  const text = getConfiguration(client, { url: `${origin}${pathname}/mcp`, token: hash.slice(1) });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      store.toast("Copied.");
    } catch {
      store.toast("This browser blocked copying. Select the text and copy it.");
    }
  };
  return (
    <div class="snippet" role="status">
      <p>{getInstruction(client)}</p>
      <pre tabIndex={0}>{text}</pre>
      <button type="button" class="primary" onClick={() => void copy()}>
        Copy
      </button>
      {getHints(client).map((hint) => (
        <p key={hint} class="hint">
          {hint}
        </p>
      ))}
      <p class="hint">
        Copy the token now; it won’t be shown again. It expires with your own link; revoke it in the
        list of people.
      </p>
    </div>
  );
}
