// Owns turning terminal output into plain text where no emulator draws it. Pure.

/** CSI, OSC and other strings with their terminators, and two-character escapes. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

export function stripSequences(text: string): string {
  return text
    .replaceAll(SEQUENCES, "")
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?=.)/gm, "")
    .replaceAll(CONTROLS, "");
}
