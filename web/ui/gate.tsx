// Owns the page for visitors who cannot join: the reason, what to do, and a field for another link.

import { useEffect, useState } from "preact/hooks";
import type { RoomAway } from "../../protocol/room.ts";
import type { Explanation } from "../session/refusal.ts";
import { explainRefusal } from "../session/refusal.ts";
import { readInvitation } from "../session/token.ts";
import "../row.css";
import "./gate.css";
import { Logo } from "./header.tsx";

interface Refusal {
  code: number;
  reason: string;
  away: Pick<RoomAway, "why" | "by"> | undefined;
}

export interface GateProps {
  workspace: string | undefined;
  /** Reason with which the room closed the socket; absent before the first connection. */
  refused?: Refusal;
  /** A link that cannot be used. */
  broken?: string | undefined;
  onToken: (token: string) => void;
}

const NO_TOKEN: Explanation = {
  title: "You need an invite link",
  text: "This workspace opens with a link from its host. Open your link, or paste it below. The host makes one with:",
  command: "pairpty share",
};

const BROKEN: Explanation = {
  title: "This link does not work",
  text: "Copy the whole link again, or ask the host for a new one.",
};

const UNREADABLE = "This is not an invite link or a token. Copy the whole link and try again.";

const BAD_ADDRESS: Explanation = {
  title: "No workspace at this address",
  text: "Check that you copied the whole link, or paste it below.",
};

export function Gate({ workspace, refused, broken, onToken }: GateProps) {
  const explanation = broken === undefined ? getExplanation(workspace, refused) : BROKEN;
  const problem = useLinkProblem(broken);
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();

  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const invitation = readInvitation(text, { origin: location.origin, workspace });
    switch (invitation.kind) {
      case "token":
        return onToken(invitation.token);
      case "elsewhere":
        return location.assign(invitation.url);
      case "foreign":
        return setError(`This link is for ${invitation.origin}. Open it in a new tab.`);
      case "unreadable":
        return void explainLink(text).then(setError);
      default:
        return invitation satisfies never;
    }
  };

  return (
    <main class="gate">
      <div class="card">
        <Logo />
        <h1>{explanation.title}</h1>
        <p>{problem ?? explanation.text}</p>
        {explanation.command !== undefined && <pre>{explanation.command}</pre>}
        <form onSubmit={onSubmit}>
          <label for="invitation">
            {workspace === undefined ? "Invite link" : "Invite link or token"}
          </label>
          <div class="row">
            <input
              id="invitation"
              value={text}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder="https://…#pp_…"
              aria-invalid={error !== undefined}
              aria-describedby="invitation-fault"
              onInput={(event) => {
                setText(event.currentTarget.value);
                setError(undefined);
              }}
            />
            <button type="submit" class="primary">
              Join
            </button>
          </div>
          <p id="invitation-fault" class="fault" role="alert">
            {error}
          </p>
        </form>
      </div>
    </main>
  );
}

/** Returns why a link cannot be used, once that is loaded. */
function useLinkProblem(broken: string | undefined): string | undefined {
  const [problem, setProblem] = useState<string>();
  useEffect(() => void (broken && explainLink(broken).then(setProblem)), [broken]);
  return problem;
}

/** Explains a text that opens nothing. */
async function explainLink(text: string): Promise<string> {
  const word = text.trim().replace(/^.*#/s, "");
  if (!/^pp\d+_/.test(word)) return UNREADABLE;
  // Loaded here: this part of the page must not bring along what seals.
  const { parseSealedLink } = await import("../../protocol/sealed/link.ts");
  const parsed = parseSealedLink(word);
  return parsed.ok ? UNREADABLE : parsed.message;
}

function getExplanation(workspace: string | undefined, refused: Refusal | undefined): Explanation {
  if (refused) return explainRefusal(refused.code, refused);
  return workspace === undefined ? BAD_ADDRESS : NO_TOKEN;
}
