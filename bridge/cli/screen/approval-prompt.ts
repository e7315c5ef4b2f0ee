// Shows agents' approvals in the bridge's window: prints what the machine decides, and sends its
// answers to the approval desk. Keys come from hotkeys.ts.

import type { ApprovalDesk } from "../../approvals/desk.ts";
import {
  formatCard,
  NARROW_COLUMNS,
  describeAnswers,
  formatSettled,
} from "../approvals/approval-card.ts";
import { formatCommandHere } from "../output/command-name.ts";
import { colors, printNote } from "../output/output.ts";
import { wrapText } from "../output/format-text.ts";
import type { BannerWindow } from "./banner.ts";
import { ApprovalQueue } from "./approval-queue.ts";

/** Rows around the agent's own text: the card's head and reasons, the keys, a line or two. */
const CARD_FRAME_ROWS = 10;
const MIN_ROWS = 5;

const ANSWERED_BY = { label: "the host", door: "tty" };
const ANSWER_KEYS = { once: "y", session: "a", prefix: "p", deny: "n" } as const;

type HostDesk = Pick<ApprovalDesk, "listOpen" | "answer" | "register">;

export interface ApprovalPrompt {
  readonly questions: ApprovalQueue;
  /** Sets whether keys arrive in this window. */
  setKeysHere(here: boolean): void;
  end(): void;
}

/** Erases a letter that was echoed. */
export function eraseLetter(letter: string): void {
  const width = letter <= "~" ? 1 : 2;
  process.stderr.write("\b".repeat(width) + " ".repeat(width) + "\b".repeat(width));
}

export function openApprovalPrompt(desk: HostDesk, windowNow: () => BannerWindow): ApprovalPrompt {
  const questions: ApprovalQueue = new ApprovalQueue({
    show: (approval, behind) => {
      const window = windowNow();
      const rows = Math.max(MIN_ROWS, window.rows - CARD_FRAME_ROWS);
      const moreCommand = formatCommandHere(`approvals ${approval.id}`);
      const card = formatCard(approval, { ...window, rows, paint: colors, moreCommand });
      const offers = [...describeAnswers(approval)].map(
        ([word, means]) =>
          `${ANSWER_KEYS[word]} ${word === "deny" ? "deny (with a reason)" : means}`,
      );
      const more = behind === 0 ? [] : [formatWaiting(behind)];
      const keys = formatKeys([...offers, ...more], window);
      // With a bell, since the person may be looking elsewhere. Printed raw, so that the agent's
      // text is not rewritten.
      printRaw(["\u0007", ...card.lines, ...keys.map(colors.bold), ""]);
      return card.isWhole;
    },
    showWaiting: (behind) => printNote(colors.dim(`  ${formatWaiting(behind)}`)),
    answer: (id, answer, reason) => {
      const answered = desk.answer(id, answer, ANSWERED_BY, reason);
      if (!answered.ok) printNote(`  ${answered.error}`);
      else if (answered.notSaved !== undefined)
        printNote(`  Allowed once: ${answered.notSaved.message}`);
    },
    showSettled: (settled) => printRaw([colors.dim(`  ${formatSettled(settled)}`)]),
    hint: (sentence) => printNote(colors.dim(`  ${sentence}`)),
    askReason: () =>
      process.stderr.write(
        "  Deny. Type a reason and press Enter, or just press Enter (Esc goes back): ",
      ),
    echo: (text) => process.stderr.write(text),
    erase: eraseLetter,
    endLine: () => process.stderr.write("\n"),
    now: () => performance.now(),
  });
  questions.hold("away");
  let areKeysHere = false;
  const stop = desk.register({
    getAttendance: () => (areKeysHere ? "answers" : "nobody"),
    notify: (event) => {
      if (event.type === "approval:requested") questions.add(event.approval);
      else questions.onSettled(event);
    },
  });
  for (const approval of desk.listOpen()) questions.add(approval);
  const setKeysHere = (here: boolean) => {
    areKeysHere = here;
    if (here) questions.release("away");
    else questions.hold("away");
  };
  return {
    questions,
    setKeysHere: (here) => setKeysHere(here),
    end: () => {
      setKeysHere(false);
      stop();
    },
  };
}

/** Returns the keys on one line if they fit, else one per line. */
function formatKeys(keys: readonly string[], { columns, ascii }: BannerWindow): string[] {
  const indent = columns < NARROW_COLUMNS ? "" : "  ";
  const line = indent + keys.join(ascii ? " | " : " · ");
  if (line.length <= columns) return [line];
  return keys.flatMap((key) => wrapText(key, columns - indent.length).map((part) => indent + part));
}

function formatWaiting(behind: number): string {
  return `${behind} more waiting`;
}

/** Prints the lines unchanged: commands in an agent's text must not be rewritten. */
function printRaw(lines: readonly string[]): void {
  process.stderr.write(`${lines.join("\n")}\n`);
}
