// Owns the filtered view of terminals that agents read through. Parts that a person withholds
// (reading/withheld-output.ts) are removed from text, waits, resources and screens.

import type { Terminal } from "../../protocol/terminal.ts";
import type { WithheldOutput } from "../reading/withheld-output.ts";
import { filterForAgents, isWithheld, toWithheld } from "../reading/withheld-output.ts";
import type { ScreenSource } from "../screens/screen.ts";
import { Screen } from "../screens/screen.ts";
import type { Screens } from "../screens/screens.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describeTerminal, isStartedByAgent } from "../terminals/terminal.ts";

/** Error for an agent that types into a terminal, or changes it, while a person has stepped in. */
export const A_PERSON_TYPES = "a person is typing in this terminal: wait until they hand it back";

/** Undefined if agents may type; else the reason that a person has stepped in. */
export function agentInputDenial({ meta }: PoolTerminal): string | undefined {
  return meta.steppedIn === undefined ? undefined : A_PERSON_TYPES;
}

export type TerminalReader = Pick<TerminalPool, "fetch" | "watch">;

/** Wraps the pool so that withheld output is removed from each read. */
export function readableByAgents(pool: TerminalReader): TerminalReader {
  return {
    fetch: (terminal, from, most, accept, to) =>
      pool.fetch(
        terminal,
        from,
        most,
        // Evaluated when the bytes are here: a person who steps in types after that.
        (retained) => accept(filterForAgents(retained, getWithheld(terminal))),
        to,
      ),
    // Hides the rhythm of a person's typing.
    watch: (terminal, listener) =>
      pool.watch(terminal, () => {
        const isOver = terminal.life.state === "finished";
        if (isOver || terminal.meta.steppedIn === undefined) listener();
      }),
  };
}

/**
 * Returns a terminal's metadata for agents: `command` only for terminals that agents started, and
 * no title where output is withheld, since a program prints its title.
 */
export function describeToAgents(terminal: PoolTerminal): Terminal {
  const { title, command, ...rest } = describeTerminal(terminal);
  return {
    ...rest,
    ...(command === undefined || !isStartedByAgent(terminal.meta) ? {} : { command }),
    ...(title === undefined || isWithheld(terminal.meta) ? {} : { title }),
  };
}

export type AgentScreens = Pick<Screens, "view" | "picture">;

type ScreenPool = Pick<ScreenSource, "fetch" | "screenState">;

/** Returns the screens for agents; one with withheld parts is drawn for the call, without them. */
export function screensForAgents(pool: ScreenPool, screens: AgentScreens): AgentScreens {
  return {
    view: (terminal) =>
      viewFiltered(
        terminal,
        () => screens.view(terminal),
        (withheld) =>
          drawFiltered(pool, terminal, withheld, (screen) => ({ ...screen.view(), title: "" })),
      ),
    picture: (terminal) =>
      viewFiltered(
        terminal,
        () => screens.picture(terminal),
        async (withheld) => {
          const look = await drawFiltered(pool, terminal, withheld, (screen) =>
            screen.toPictureSource(),
          );
          const { renderPicture } = await import("../pictures/picture.ts");
          return await renderPicture(look);
        },
      ),
  };
}

async function viewFiltered<T>(
  terminal: PoolTerminal,
  whole: () => Promise<T>,
  without: (withheld: WithheldOutput) => Promise<T>,
): Promise<T> {
  if (!isWithheld(terminal.meta)) {
    const all = await whole();
    // A person may have stepped in while it was drawn.
    if (!isWithheld(terminal.meta)) return all;
  }
  // Draws again if the withheld parts changed while drawing.
  for (;;) {
    const withheld = getWithheld(terminal);
    const some = await without(withheld);
    if (JSON.stringify(getWithheld(terminal)) === JSON.stringify(withheld)) return some;
  }
}

async function drawFiltered<T>(
  pool: ScreenPool,
  terminal: PoolTerminal,
  withheld: WithheldOutput,
  take: (screen: Screen) => T,
): Promise<T> {
  const source: ScreenSource = {
    fetch: (_terminal, from, most, accept, to) =>
      pool.fetch(
        terminal,
        from,
        most,
        (retained) => accept(filterForAgents(retained, withheld)),
        to,
      ),
    screenState: async (_terminal, since) => {
      const { checkpoint: _of, ...state } = await pool.screenState(terminal, since, false);
      const end = Math.min(state.end, withheld.horizon ?? state.end);
      const [first, ...rest] = state.marks;
      const marks =
        first === undefined ? [] : [first, ...rest.filter(({ offset }) => offset <= end)];
      return { ...state, first: Math.min(state.first, end), end, marks };
    },
    // Programs' queries are answered from the complete screen.
    answer: () => {},
  };
  const screen = new Screen(source, terminal);
  try {
    await screen.catchUp();
    return take(screen);
  } finally {
    screen.dispose();
  }
}

function getWithheld({ meta, life }: PoolTerminal): WithheldOutput {
  return toWithheld(meta, life.state === "finished" ? life.end : undefined);
}
