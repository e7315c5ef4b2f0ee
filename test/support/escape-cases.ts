// Owns escape sequences with what they leave on a clean screen of at least 80×24: the rows from the
// top, without blanks at their ends, and the cursor as `column,row` from 0.

export interface EscapeCase {
  readonly name: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly cursor: string;
}

const CSI = "\u001b[";
const ESC = "\u001b";
/** Three rows of text to change. */
const ROWS = "one\r\ntwo\r\nthree";

const at = (row: number, column: number) => `${CSI}${row};${column}H`;

function one(name: string, text: string, lines: readonly string[], cursor: string): EscapeCase {
  return { name, text, lines, cursor };
}

export const ESCAPE_CASES: readonly EscapeCase[] = [
  one("text", "hello", ["hello"], "5,0"),
  one("carriage return", "hello\rJ", ["Jello"], "1,0"),
  one("line feed keeps the column", "ab\ncd", ["ab", "  cd"], "4,1"),
  one("vertical tab and form feed are line feeds", "a\u000bb\u000cc", ["a", " b", "  c"], "3,2"),
  one("backspace moves and erases nothing", "abc\b\bX", ["aXc"], "2,0"),
  one("backspace stops at the left edge", "a\b\b\bX", ["X"], "1,0"),
  one("tabs go to every eighth column", "a\tb\tc", ["a       b       c"], "17,0"),
  one("a bell and a NUL print nothing", "a\u0007\0b", ["ab"], "2,0"),
  one("cursor up", `${ROWS}${CSI}2AX`, ["one  X", "two", "three"], "6,0"),
  one("cursor up stops at the top", `${ROWS}${CSI}99AX`, ["one  X", "two", "three"], "6,0"),
  one("cursor down", `a${CSI}2BX`, ["a", "", " X"], "2,2"),
  one("cursor forward", `a${CSI}3CX`, ["a   X"], "5,0"),
  one("cursor back", `abcd${CSI}3DX`, ["aXcd"], "2,0"),
  one("0 and no parameter mean 1", `abc${CSI}0D${CSI}DX`, ["aXc"], "2,0"),
  one("next line", `abc${CSI}2EX`, ["abc", "", "X"], "1,2"),
  one("previous line", `${ROWS}${CSI}2FX`, ["Xne", "two", "three"], "1,0"),
  one("column", `abcdef${CSI}3GX`, ["abXdef"], "3,0"),
  one("column by HPA", `abcdef${CSI}3\`X`, ["abXdef"], "3,0"),
  one("row by VPA", `a${CSI}3dX`, ["a", "", " X"], "2,2"),
  one("relative by HPR and VPR", `a${CSI}2a${CSI}1eX`, ["a", "   X"], "4,1"),
  one("position", `${at(2, 3)}X`, ["", "  X"], "3,1"),
  one("position by HVP", `${CSI}2;3fX`, ["", "  X"], "3,1"),
  one("position without parameters is home", `abc${CSI}HX`, ["Xbc"], "1,0"),
  one("erase to the end of the screen", `${ROWS}${at(2, 2)}${CSI}J`, ["one", "t"], "1,1"),
  one("erase from its start", `${ROWS}${at(2, 2)}${CSI}1J`, ["", "  o", "three"], "1,1"),
  one("erase the screen, the cursor stays", `${ROWS}${CSI}2JX`, ["", "", "     X"], "6,2"),
  one("erase to the end of the line", `abcdef${CSI}3G${CSI}K`, ["ab"], "2,0"),
  one("erase from its start", `abcdef${CSI}3G${CSI}1K`, ["   def"], "2,0"),
  one("erase the line", `abcdef${CSI}3G${CSI}2KX`, ["  X"], "3,0"),
  one("erase characters", `abcdef${CSI}2G${CSI}3X`, ["a   ef"], "1,0"),
  one("insert characters", `abcdef${CSI}2G${CSI}2@`, ["a  bcdef"], "1,0"),
  one("delete characters", `abcdef${CSI}2G${CSI}3P`, ["aef"], "1,0"),
  one("insert lines", `${ROWS}${at(2, 1)}${CSI}1L`, ["one", "", "two", "three"], "0,1"),
  one("delete lines", `${ROWS}${at(1, 1)}${CSI}1M`, ["two", "three"], "0,0"),
  one("scroll up", `${ROWS}${CSI}1S`, ["two", "three"], "5,2"),
  one("scroll down", `${ROWS}${CSI}1T`, ["", "one", "two", "three"], "5,2"),
  one("repeat the character", `a${CSI}3b`, ["aaaa"], "4,0"),
  one("index", `ab${ESC}Dc`, ["ab", "  c"], "3,1"),
  one("next line by NEL", `ab${ESC}Ec`, ["ab", "c"], "1,1"),
  one("reverse index at the top scrolls", `abc${CSI}H${ESC}MX`, ["X", "abc"], "1,0"),
  one(
    "margins scroll what is between them",
    `${ROWS}${CSI}1;2r${at(2, 1)}\n`,
    ["two", "", "three"],
    "0,1",
  ),
  one("setting margins goes home", `abc${CSI}2;4rX`, ["Xbc"], "1,0"),
  one(
    "lines are deleted within margins",
    `${ROWS}\r\nfour${CSI}1;3r${at(1, 1)}${CSI}M`,
    ["two", "three", "", "four"],
    "0,0",
  ),
  one(
    "origin mode counts from the margin",
    `${CSI}3;5r${CSI}?6h${at(1, 1)}X`,
    ["", "", "X"],
    "1,2",
  ),
  one("save and restore", `${at(2, 3)}${ESC}7${at(5, 5)}${ESC}8X`, ["", "  X"], "3,1"),
  one("save and restore by CSI", `${at(2, 3)}${CSI}s${at(5, 5)}${CSI}uX`, ["", "  X"], "3,1"),
  one("insert mode", `abc${CSI}H${CSI}4hXY${CSI}4l`, ["XYabc"], "2,0"),
  one("new line mode", `${CSI}20hab\ncd${CSI}20l`, ["ab", "cd"], "2,1"),
  one("a tab stop is set and used", `${CSI}4G${ESC}H\ra\tb`, ["a  b"], "4,0"),
  one("all tab stops are cleared", `${CSI}3g${CSI}4G${ESC}H\r\tX`, ["   X"], "4,0"),
  one("forward by tabs", `${CSI}2IX`, ["                X"], "17,0"),
  one("back by tabs", `${CSI}20G${CSI}2ZX`, ["        X"], "9,0"),
  one("line drawing", `${ESC}(0lqk${ESC}(Bq`, ["┌─┐q"], "4,0"),
  one("line drawing by shift out and in", `${ESC})0\u000ex\u000fx`, ["│x"], "2,0"),
  one("an unknown sequence prints nothing", `a${CSI}?9999zb${CSI}>5xc`, ["abc"], "3,0"),
  one("a sequence is ended by CAN", `a${CSI}31\u0018mb`, ["amb"], "3,0"),
  one("an escape starts a sequence anew", `a${CSI}3${CSI}2Cb`, ["a  b"], "4,0"),
  one("controls work inside a sequence", `abc${CSI}\r2CX`, ["abX"], "3,0"),
  one("a title prints nothing", `a${ESC}]2;title\u0007b${ESC}]0;other${ESC}\\c`, ["abc"], "3,0"),
  one("a device's string prints nothing", `a${ESC}P1$r0m${ESC}\\b`, ["ab"], "2,0"),
  one("a program's string prints nothing", `a${ESC}_hello${ESC}\\b`, ["ab"], "2,0"),
  one("looks print nothing", `a${CSI}1;4:3;38;2;1;2;3;48:5:9mb${CSI}mc`, ["abc"], "3,0"),
  one(
    "a link prints its text",
    `${ESC}]8;;https://example.com${ESC}\\link${ESC}]8;;${ESC}\\`,
    ["link"],
    "4,0",
  ),
  one("wide characters take two columns", "漢字x", ["漢字x"], "5,0"),
  one("half a wide character erased is gone", `漢字${CSI}2GX`, [" X字"], "2,0"),
  one("a combining character joins", "e\u0301x", ["e\u0301x"], "2,0"),
  one(
    "the other screen is clean, and goes again",
    `abc${CSI}?1049hXYZ${CSI}?1049l`,
    ["abc"],
    "3,0",
  ),
  one("the other screen itself", `abc${CSI}?1049h${at(2, 2)}X`, ["", " X"], "2,1"),
  one("a full reset cleans and goes home", `${ROWS}${CSI}4h${ESC}cX`, ["X"], "1,0"),
  one("a soft reset ends insert mode", `abc${CSI}4h${CSI}!p${CSI}HX`, ["Xbc"], "1,0"),
];
