// Owns the page for whoever cannot come in (yet): what is wrong, what to do, and where to paste
// the new link.

import { useState } from "preact/hooks";
import type { Explanation } from "../session/connection.ts";
import { readInvitation } from "../session/token.ts";
import { Mark } from "./header.tsx";

export interface GateProps {
  workspace: string | undefined;
  why: Explanation;
  onToken: (token: string) => void;
}

export const NO_TOKEN: Explanation = {
  title: "Bring a link",
  text: "This page shows shared terminals to whoever has a link to them. Open yours, or paste it here. Whoever runs pairpty makes one with:",
  command: "pairpty share",
};

export const BAD_ADDRESS: Explanation = {
  title: "No workspace here",
  text: "The address names no workspace. A link looks like this page's address, followed by /w/, a name, and a token. Paste yours here:",
};

export function Gate({ workspace, why, onToken }: GateProps) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string>();

  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const invitation = readInvitation(text, { origin: location.origin, workspace });
    switch (invitation.kind) {
      case "token":
        return onToken(invitation.token);
      case "elsewhere":
        return location.assign(invitation.url);
      case "foreign":
        return setFault(`That link leads to ${invitation.origin}. Open it in a tab of its own.`);
      case "unreadable":
        return setFault("That is neither a link nor a token. It may have been cut when copied.");
      default:
        return invitation satisfies never;
    }
  };

  return (
    <main class="gate">
      <div class="card">
        <Mark />
        <h1>{why.title}</h1>
        <p>{why.text}</p>
        {why.command !== undefined && <pre>{why.command}</pre>}
        <form onSubmit={onSubmit}>
          <label for="invitation">Link or token</label>
          <div class="row">
            <input
              id="invitation"
              value={text}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder="pp_…"
              aria-invalid={fault !== undefined}
              aria-describedby="invitation-fault"
              onInput={(event) => {
                setText(event.currentTarget.value);
                setFault(undefined);
              }}
            />
            <button type="submit" class="primary">
              Join
            </button>
          </div>
          <p id="invitation-fault" class="fault" role="alert">
            {fault}
          </p>
        </form>
      </div>
    </main>
  );
}
