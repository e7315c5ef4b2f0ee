// Owns questions as programs print them, made from the table: some of each form, and every one that
// the bridge's screen answers.

import type { TerminalQuery } from "../../protocol/terminal-queries.ts";
import { includesParameter, TERMINAL_QUERIES } from "../../protocol/terminal-queries.ts";

const ESC = "\x1b";
const ENDS = [`${ESC}\\`, "\x07"];

/** First parameters of a form that asks with every one. */
const SOME = [0, 1, 4, 5, 6, 996, 2004];

export const ANSWERED: readonly string[] = questions(true);
export const UNANSWERED: readonly string[] = questions(false);

function questions(isAnswered: boolean): string[] {
  return TERMINAL_QUERIES.flatMap((query) => {
    const { answeredParameters = [] } = query;
    const asked =
      query.kind === "csi" && query.queryParameters !== "every" ? query.queryParameters : SOME;
    const first = query.kind === "csi" ? asked : [0];
    return first
      .filter((parameter) => includesParameter(answeredParameters, parameter) === isAnswered)
      .flatMap((parameter) => getTexts(query, parameter));
  });
}

function getTexts(query: TerminalQuery, parameter: number): string[] {
  switch (query.kind) {
    case "csi":
      // Nothing stands for 0.
      return (parameter === 0 ? ["", "0"] : [String(parameter)]).map(
        (parameters) => `${ESC}[${query.prefix}${parameters}${query.intermediates}${query.final}`,
      );
    case "esc":
      return [`${ESC}${query.final}`];
    case "dcs":
      return ["m", " q"].map(
        (text) => `${ESC}P${query.intermediates}${query.final}${text}${ESC}\\`,
      );
    default:
      return listValues(query.command).flatMap((values) =>
        ENDS.map((end) => `${ESC}]${query.command};${values}${end}`),
      );
  }
}

function listValues(command: number): string[] {
  if (command === 4 || command === 5) return ["1;?", "1;#fff;2;?"];
  if (command === 21) return ["foreground=?", "selection_background=?;cursor=?"];
  return command === 52 ? ["c;?"] : ["?", "?;?"];
}
