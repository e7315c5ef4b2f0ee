// Owns agents' questions in the window where the bridge runs: what the machine says is printed, and
// its answers go to the desk. The keys come from elsewhere.

import type { ApprovalDesk } from "../../approvals/desk.ts";
import { cardOf, NARROW, offerWords, settledText } from "../approvals/card.ts";
import { typedHere } from "../output/command-name.ts";
import { colors, say } from "../output/output.ts";
import { wrap } from "../output/wrap.ts";
import type { Window } from "./banner.ts";
import { Questions } from "./questions.ts";

/** What stands around the agent's own text: the card's head and reasons, the keys, a line or two. */
const AROUND_ROWS = 10;
const LEAST_ROWS = 5;

const BY = { label: "the host", door: "tty" };
const KEYS = { once: "y", session: "a", prefix: "p", deny: "n" } as const;

type HostDesk = Pick<ApprovalDesk, "open" | "answer" | "register">;

export interface Asking {
  readonly questions: Questions;
  /** Keys arrive here, or no longer. */
  keysAre(here: boolean): void;
  end(): void;
}

/** Takes a letter back that was shown. */
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
        ([word, means]) => `${KEYS[word]} ${word === "deny" ? "deny, with a reason" : means}`,
      );
      const more = behind === 0 ? [] : [waitWords(behind)];
      const keys = keyLines([...offers, ...more], window);
      // As it is, and with a bell: whoever may answer may look elsewhere.
      print(["\u0007", ...card.lines, ...keys.map(colors.bold), ""]);
      return card.isWhole;
    },
    more: (behind) => say(colors.dim(`  ${waitWords(behind)}`)),
    answer: (id, answer, reason) => {
      const answered = desk.answer(id, answer, BY, reason);
      if (!answered.ok) say(`  ${answered.error}`);
      else if (answered.notSaved !== undefined) say(`  allowed once: ${answered.notSaved.message}`);
    },
    settled: (settled) => print([colors.dim(`  ${settledText(settled)}`)]),
    hint: (sentence) => say(colors.dim(`  ${sentence}`)),
    askReason: () =>
      process.stderr.write(
        "  Denying. Type a reason and press Enter, or just press Enter (Esc goes back): ",
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

/** In one line where that fits, else each key in its own. */
function keyLines(keys: readonly string[], { columns, ascii }: Window): string[] {
  const indent = columns < NARROW ? "" : "  ";
  const line = indent + keys.join(ascii ? " | " : " · ");
  if (line.length <= columns) return [line];
  return keys.flatMap((key) => wrap(key, columns - indent.length).map((part) => indent + part));
}

function waitWords(behind: number): string {
  return `${behind} more ${behind === 1 ? "waits" : "wait"}`;
}

/** What an agent wrote is shown as it is: no word of it becomes another command's name. */
function print(lines: readonly string[]): void {
  process.stderr.write(`${lines.join("\n")}\n`);
}
