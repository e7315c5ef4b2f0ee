// Owns applying an agent's session updates to its conversation: text, tools, plans, modes, and
// terminals that the agent only shows. Its requests are handled in requests.ts.

import type { Conversation } from "./conversation.ts";
import type { ShownTerminals } from "./shown-terminals.ts";
import type { ToolPatch, Update } from "./updates.ts";

export interface HearingParts {
  readonly shown: Pick<ShownTerminals, "idOf" | "take">;
  /** Returns the agent to which shown terminals belong. */
  readonly by: () => { readonly grant: string; readonly label: string };
  /** Receives the text of the agent's answer during a turn, as it arrives. */
  readonly onText: ((text: string) => void) | undefined;
}

/** The part of a session that updates need. */
interface Heard {
  readonly conversation: Conversation;
  readonly isLoading: boolean;
}

export class Hearing {
  readonly #parts: HearingParts;

  constructor(parts: HearingParts) {
    this.#parts = parts;
  }

  take(session: Heard, update: Update): void {
    const { conversation } = session;
    switch (update.kind) {
      case "text":
        return this.#takeText(session, update);
      case "tool":
        conversation.take({ event: "tool", patch: this.named(conversation, update.patch) });
        return this.#show(conversation, update.terminals);
      case "terminals":
        return this.#show(conversation, update.terminals);
      case "plan":
        return conversation.take({ event: "plan", steps: update.steps });
      case "commands":
        return conversation.offer(update.commands);
      case "mode":
        return conversation.setMode(update.current);
      case "title":
        return conversation.entitle(update.title);
      case "note":
        return conversation.take({ event: "note", text: update.text });
    }
  }

  /** Replaces the agent's terminal ids by the room's, where the terminal is already shown. */
  named(conversation: Conversation, patch: ToolPatch): ToolPatch {
    const content = patch.content?.map((piece) => {
      if (piece.type !== "terminal") return piece;
      const id = this.#parts.shown.idOf(conversation.id, piece.terminal);
      return id === undefined ? piece : { ...piece, terminal: id };
    });
    return { ...patch, content };
  }

  #takeText({ conversation, isLoading }: Heard, update: Extract<Update, { kind: "text" }>): void {
    const { of, text, message } = update;
    if (of !== "user") {
      conversation.take({ event: "text", of, text, message });
      if (of === "message" && conversation.state === "working") this.#parts.onText?.(text);
      return;
    }
    const last = conversation.entries.findLast(({ kind }) => kind === "prompt");
    // Some agents repeat the prompt.
    const isEcho = !isLoading && last?.kind === "prompt" && last.text.includes(text);
    if (!isEcho) conversation.take({ event: "said", by: "", text });
  }

  /** Forwards updates of terminals that the agent only shows. */
  #show(conversation: Conversation, news: readonly Parameters<ShownTerminals["take"]>[1][]): void {
    for (const one of news) {
      this.#parts.shown.take(
        {
          conversation: conversation.id,
          by: this.#parts.by(),
          onShown: (as, terminal) => conversation.take({ event: "shown", as, terminal }),
          onExit: (terminal, exit) => conversation.take({ event: "terminal", terminal, exit }),
        },
        one,
      );
    }
  }
}
