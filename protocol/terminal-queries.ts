// Owns the table of terminal queries: what programs send, what terminals reply, and which queries
// the bridge's screen answers. The only list of queries and replies. Pure.

const TEXT = "[^\\x07\\x1b\\x18\\x1a\\x9c]*";
const END = "(?:\\x07|\\x1b\\\\|\\x9c)";

/**
 * Replies, as regular expressions of the text after ESC. None of them can be typed on a keyboard.
 */
const DEVICE = "\\[[?>=][\\d;]*c";
const STATUS = "\\[\\??[03]n";
const PRIVATE_STATUS = "\\[\\?\\d+;[\\d;]*[Rn]";
/** Excludes F3 with Shift, Alt or Control, which looks the same. */
const CURSOR_POSITION = "\\[(?!1;[2-8]R)\\d+;\\d+R";
const MODE = "\\[\\??\\d+;\\d\\$y";
const WINDOW = "\\[(?:[1234568]|9)(?:;\\d+)*t";
const WINDOW_TITLE = `\\][lL]${TEXT}${END}`;
const KEYBOARD = "\\[\\?\\d*u";
const GRAPHICS = "\\[\\?\\d+(?:;\\d+)*S";
const COLOR = `\\](?:\\d+;)+(?:rgba?:|#)${TEXT}${END}`;
const CLIPBOARD = `\\]52;${TEXT}${END}`;
const STRING = `P${TEXT}${END}`;

interface QueryAnswers {
  /** First parameters that the bridge's screen answers, or all; none if absent. */
  readonly answeredParameters?: readonly number[] | "every";
  readonly replies: readonly string[];
}

interface CsiQuery extends QueryAnswers {
  readonly kind: "csi";
  readonly prefix: "" | "?" | ">" | "=";
  readonly intermediates: string;
  readonly final: string;
  /** First parameters that make it a query; others have an effect or none. */
  readonly queryParameters: readonly number[] | "every";
}

interface EscQuery extends QueryAnswers {
  readonly kind: "esc";
  readonly final: string;
}

/** A DCS query with any text. */
interface DcsQuery extends QueryAnswers {
  readonly kind: "dcs";
  readonly intermediates: string;
  readonly final: string;
}

/** An OSC by its number: a query if one of its values is `?`; otherwise it sets a value. */
interface OscQuery extends QueryAnswers {
  readonly kind: "osc";
  readonly command: number;
}

export type TerminalQuery = CsiQuery | EscQuery | DcsQuery | OscQuery;

export const TERMINAL_QUERIES: readonly TerminalQuery[] = [
  // Device attributes: primary, secondary, tertiary; then the obsolete DECID.
  csi("", "c", { answeredParameters: [0], replies: [DEVICE] }),
  csi(">", "c", { answeredParameters: [0], replies: [DEVICE] }),
  csi("=", "c", { answeredParameters: [0], replies: [DEVICE, STRING] }),
  { kind: "esc", final: "Z", replies: [DEVICE] },
  // Name and version.
  csi(">", "q", { queryParameters: [0], answeredParameters: [0], replies: [STRING] }),
  // Status and cursor position; printer, keys, colour scheme.
  csi("", "n", { answeredParameters: [5, 6], replies: [STATUS, CURSOR_POSITION] }),
  csi("?", "n", { answeredParameters: [6], replies: [STATUS, PRIVATE_STATUS] }),
  // Whether a mode is set.
  csi("", "p", { intermediates: "$", answeredParameters: "every", replies: [MODE] }),
  csi("?", "p", { intermediates: "$", answeredParameters: "every", replies: [MODE] }),
  // The window: state, position, sizes, titles. Other parameters change the window.
  csi("", "t", {
    queryParameters: [11, 13, 14, 15, 16, 18, 19, 20, 21],
    answeredParameters: [18],
    replies: [WINDOW, WINDOW_TITLE],
  }),
  // Keyboard protocol, modifiers, graphics, transmission.
  csi("?", "u", { replies: [KEYBOARD] }),
  csi("?", "m", { replies: ["\\[>\\d+;\\d+m"] }),
  csi("?", "S", { replies: [GRAPHICS] }),
  csi("", "x", { queryParameters: [0, 1], replies: ["\\[[23](?:;\\d+){6}x"] }),
  // Cursor and tabs, checksums, the user's preferred charset.
  csi("", "w", { intermediates: "$", replies: [STRING] }),
  csi("", "y", { intermediates: "*", replies: [STRING] }),
  csi("", "u", { intermediates: "&", replies: [STRING] }),
  // Settings, capabilities.
  { kind: "dcs", intermediates: "$", final: "q", answeredParameters: "every", replies: [STRING] },
  { kind: "dcs", intermediates: "+", final: "q", replies: [STRING] },
  // Colours: the palette, text, background and cursor; then those that the bridge's screen does not
  // have.
  ...[4, 10, 11, 12].map((command) =>
    osc(command, { answeredParameters: "every", replies: [COLOR] }),
  ),
  ...[5, 13, 14, 15, 16, 17, 18, 19].map((command) => osc(command, { replies: [COLOR] })),
  osc(21, { replies: [`\\]21;${TEXT}${END}`] }),
  // The clipboard; allowed and disallowed operations.
  osc(52, { replies: [CLIPBOARD] }),
  ...[60, 61].map((command) => osc(command, { replies: [`\\]6[01];${TEXT}${END}`] })),
];

/** Whether an OSC queries instead of setting: one of its values is `?`, or `key=?` as in kitty. */
export function isValueQuery(values: string): boolean {
  return /(?:^|[;=])\?(?:;|$)/.test(values);
}

export function includesParameter(which: readonly number[] | "every", first: number): boolean {
  return which === "every" || which.includes(first);
}

function csi(
  prefix: CsiQuery["prefix"],
  final: string,
  {
    intermediates = "",
    queryParameters = "every",
    ...answers
  }: Partial<Pick<CsiQuery, "intermediates" | "queryParameters">> & QueryAnswers,
): CsiQuery {
  return { kind: "csi", prefix, intermediates, final, queryParameters, ...answers };
}

function osc(command: number, answers: QueryAnswers): OscQuery {
  return { kind: "osc", command, ...answers };
}
