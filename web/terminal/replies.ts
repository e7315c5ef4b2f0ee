// Owns telling a terminal's automatic replies from what a person typed. With several viewers each
// emulator would answer a program's query, and the shell would read the surplus as keystrokes.

const ESC = "\u001B";
const BEL = "\u0007";
const END = `(?:${BEL}|${ESC}\\\\)`;

const REPLIES = new RegExp(
  `^(?:${[
    // Device attributes, status and cursor position.
    `${ESC}\\[[?>=]?[\\d;]*[cRn]`,
    // Whether a mode is set.
    `${ESC}\\[\\??\\d+;\\d+\\$y`,
    // Sizes of window and cells.
    `${ESC}\\[[468];\\d+;\\d+t`,
    // Colours.
    `${ESC}\\](?:4;\\d+|1[0-2]);[^${BEL}${ESC}]*${END}`,
    // Settings and version strings.
    `${ESC}P[^${ESC}]*${ESC}\\\\`,
    // Focus gained and lost.
    `${ESC}\\[[IO]`,
  ].join("|")})$`,
);

/** `key` is what the key pressed just now sends, if any: Shift+F3 looks like a cursor position. */
export function isAutomatic(data: string, key?: string): boolean {
  return data !== key && REPLIES.test(data);
}
