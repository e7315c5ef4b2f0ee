// Owns asking for a name: once, in a card that takes no focus, and wherever a person changes it.

import { useState } from "preact/hooks";
import { MAX_NAME_CHARS } from "../../protocol/names.ts";
import { useSession } from "../context.ts";
import { suggestName } from "../session/people.ts";
import "./name-form.css";

export interface NameFormProps {
  readonly id: string;
  readonly button: string;
  readonly placeholder?: string;
  /** Shown until a name is chosen. */
  readonly suggested?: string;
  readonly onDone?: (name: string) => void;
}

export function NameForm(props: NameFormProps) {
  const { id, button, placeholder = "Your name", suggested = "", onDone } = props;
  const session = useSession();
  const [text, setText] = useState(session.self.savedName ?? suggested);
  return (
    <form
      class="name-form"
      onSubmit={(event) => {
        event.preventDefault();
        session.self.setName(text.trim());
        onDone?.(text.trim());
      }}
    >
      <input
        id={id}
        value={text}
        maxLength={MAX_NAME_CHARS}
        autocomplete="nickname"
        placeholder={placeholder}
        aria-label="Your name"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        {button}
      </button>
    </form>
  );
}

const QUESTION = "What’s your name?";
/**
 * As in people.css: there the question has its own line only if a suggestion hides the placeholder.
 */
const NARROW = "(max-width: 720px)";

/** Asks for a name once, and never again after any answer. */
export function NameCard() {
  const session = useSession();
  const { people } = session.store;
  const [isAsked, setAsked] = useState(session.self.savedName !== undefined);
  const end = (): void => {
    setAsked(true);
    // The field disappears, and the focus with it.
    session.store.views.refocus();
  };
  const you = people.you.value;
  if (isAsked || !you || people.isWaiting.value || !session.store.reachable.value) return null;
  const suggested = suggestName(you);
  return (
    <section class="name-card" aria-label="Your name" data-suggests={suggested !== ""}>
      <p>
        {QUESTION} <span class="until">Others see “{you.label}” until you set one.</span>
      </p>
      <NameForm
        id="name-card"
        button="OK"
        placeholder={matchMedia(NARROW).matches ? QUESTION : "Your name"}
        suggested={suggested}
        onDone={end}
      />
      <button
        type="button"
        class="quiet"
        onClick={() => {
          session.self.setName("");
          end();
        }}
      >
        Skip
      </button>
    </section>
  );
}
