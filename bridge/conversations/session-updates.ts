// Owns applying an agent's session updates to its conversation: text, tools, plans, modes, and
// terminals that the agent only shows. Its requests are handled in agent-requests.ts.

import type { Conversation } from "./conversation.ts";
import type { ShownTerminals } from "./shown-terminals.ts";
import type { ToolPatch, Update } from "./update-parser.ts";

export interface SessionUpdatesDeps {
  readonly shownTerminals: Pick<ShownTerminals, "findId" | "apply">;
  /** Returns the agent to which shown terminals belong. */
  readonly by: () => { readonly grant: string; readonly label: string };
  /** Receives the text of the agent's answer during a turn, as it arrives. */
  readonly onText: ((text: string) => void) | undefined;
}

/** The part of a session that updates need. */
interface UpdateTarget {
  readonly conversation: Conversation;
  readonly isLoading: boolean;
}

export class SessionUpdates {
  readonly #deps: SessionUpdatesDeps;

  constructor(deps: SessionUpdatesDeps) {
    this.#deps = deps;
  }

  apply(session: UpdateTarget, update: Update): void {
    const { conversation } = session;
    switch (update.kind) {
      case "text":
        return this.#applyText(session, update);
      case "tool":
        conversation.apply({
          event: "tool",
          patch: this.withRoomTerminalIds(conversation, update.patch),
        });
        return this.#showTerminals(conversation, update.terminals);
      case "terminals":
        return this.#showTerminals(conversation, update.terminals);
      case "plan":
        return conversation.apply({ event: "plan", steps: update.steps });
      case "commands":
        return conversation.setCommands(update.commands);
      case "mode":
        return conversation.setMode(update.current);
      case "title":
        return conversation.setTitle(update.title);
      case "note":
        return conversation.apply({ event: "note", text: update.text });
    }
  }

  /** Replaces the agent's terminal ids by the room's, where the terminal is already shown. */
  withRoomTerminalIds(conversation: Conversation, patch: ToolPatch): ToolPatch {
    const content = patch.content?.map((piece) => {
      if (piece.type !== "terminal") return piece;
      const id = this.#deps.shownTerminals.findId(conversation.id, piece.terminal);
      return id === undefined ? piece : { ...piece, terminal: id };
    });
    return { ...patch, content };
  }

  #applyText(
    { conversation, isLoading }: UpdateTarget,
    update: Extract<Update, { kind: "text" }>,
  ): void {
    const { of, text, message } = update;
    if (of !== "user") {
      conversation.apply({ event: "text", of, text, message });
      if (of === "message" && conversation.state === "working") this.#deps.onText?.(text);
      return;
    }
    const last = conversation.entries.findLast(({ kind }) => kind === "prompt");
    // Some agents repeat the prompt.
    const isEcho = !isLoading && last?.kind === "prompt" && last.text.includes(text);
    if (!isEcho) conversation.apply({ event: "said", by: "", text });
  }

  /** Forwards updates of terminals that the agent only shows. */
  #showTerminals(
    conversation: Conversation,
    news: readonly Parameters<ShownTerminals["apply"]>[1][],
  ): void {
    for (const one of news) {
      this.#deps.shownTerminals.apply(
        {
          conversation: conversation.id,
          by: this.#deps.by(),
          onShown: (as, terminal) => conversation.apply({ event: "shown", as, terminal }),
          onExit: (terminal, exit) => conversation.apply({ event: "terminal", terminal, exit }),
        },
        one,
      );
    }
  }
}
