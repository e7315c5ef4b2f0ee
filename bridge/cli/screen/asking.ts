// Shows agents' approvals in the bridge's window: prints what the machine decides, and sends its
// answers to the approval desk. Keys come from hotkeys.ts.

import type { ApprovalDesk } from "../../approvals/desk.ts";
import { cardOf, NARROW, offerWords, settledText } from "../approvals/card.ts";
import { typedHere } from "../output/command-name.ts";
import { colors, say } from "../output/output.ts";
import { wrap } from "../output/wrap.ts";
import type { Window } from "./banner.ts";
import { Questions } from "./questions.ts";

/** Rows around the agent's own text: the card's head and reasons, the keys, a line or two. */
const AROUND_ROWS = 10;
const LEAST_ROWS = 5;

const BY = { label: "the host", door: "tty" };
const KEYS = { once: "y", session: "a", prefix: "p", deny: "n" } as const;

type HostDesk = Pick<ApprovalDesk, "open" | "answer" | "register">;

export interface Asking {
  readonly questions: Questions;
  /** Sets whether keys arrive in this window. */
  keysAre(here: boolean): void;
  end(): void;
}

/** Erases a letter that was echoed. */
export function erase(letter: string): void {
  const width = letter <= "~" ? 1 : 2;
  process.stderr.write("\b".repeat(width) + " ".repeat(width) + "\b".repeat(width));
}

export function askOnScreen(desk: HostDesk, windowNow: () => Window): Asking {
  const questions: Questions = new Questions({
    show: (approval, behind) => {
      const window = windowNow();
      const rows = Math.max(LEAST_ROWS, window.rows - AROUND_ROWS);
      const moreCommand = typedHere(`approvals ${approval.id}`);
      const card = cardOf(approval, { ...window, rows, paint: colors, moreCommand });
      const offers = [...offerWords(approval)].map(
        ([word, means]) => `${KEYS[word]} ${word === "deny" ? "deny (with a reason)" : means}`,
      );
      const more = behind === 0 ? [] : [waitWords(behind)];
      const keys = keyLines([...offers, ...more], window);
      // With a bell, since the person may be looking elsewhere. Not by `say`, which would rewrite the
      // agent's text.
      print(["\u0007", ...card.lines, ...keys.map(colors.bold), ""]);
      return card.isWhole;
    },
    more: (behind) => say(colors.dim(`  ${waitWords(behind)}`)),
    answer: (id, answer, reason) => {
      const answered = desk.answer(id, answer, BY, reason);
      if (!answered.ok) say(`  ${answered.error}`);
      else if (answered.notSaved !== undefined) say(`  Allowed once: ${answered.notSaved.message}`);
    },
    settled: (settled) => print([colors.dim(`  ${settledText(settled)}`)]),
    hint: (sentence) => say(colors.dim(`  ${sentence}`)),
    askReason: () =>
      process.stderr.write(
        "  Deny. Type a reason and press Enter, or just press Enter (Esc goes back): ",
      ),
    typed: (text) => process.stderr.write(text),
    erased: erase,
    lineEnds: () => process.stderr.write("\n"),
    now: () => performance.now(),
  });
  questions.hold("away");
  let areKeysHere = false;
  const stop = desk.register({
    attendance: () => (areKeysHere ? "answers" : "nobody"),
    told: (event) => {
      if (event.type === "approval:requested") questions.asked(event.approval);
      else questions.settled(event);
    },
  });
  for (const approval of desk.open()) questions.asked(approval);
  const keysAre = (here: boolean) => {
    areKeysHere = here;
    if (here) questions.release("away");
    else questions.hold("away");
  };
  return {
    questions,
    keysAre: (here) => keysAre(here),
    end: () => {
      keysAre(false);
      stop();
    },
  };
}

/** Returns the keys on one line if they fit, else one per line. */
function keyLines(keys: readonly string[], { columns, ascii }: Window): string[] {
  const indent = columns < NARROW ? "" : "  ";
  const line = indent + keys.join(ascii ? " | " : " · ");
  if (line.length <= columns) return [line];
  return keys.flatMap((key) => wrap(key, columns - indent.length).map((part) => indent + part));
}

function waitWords(behind: number): string {
  return `${behind} more waiting`;
}

/** Prints the lines unchanged: commands in an agent's text must not be rewritten. */
function print(lines: readonly string[]): void {
  process.stderr.write(`${lines.join("\n")}\n`);
}
