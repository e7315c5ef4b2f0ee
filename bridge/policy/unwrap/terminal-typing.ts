// Owns programs that type into another terminal or window: the keys may be a command, sent letter by
// letter. Which program reads them is not known here.

import { registerRule, type Rule } from "../rule.ts";

const judgeTyping =
  (typingWords: RegExp): Rule =>
  (args, run) => {
    if (typingWords.test(args.join(" ")))
      run.note("dangerous", `${run.callText()} types into another terminal`);
  };

export const TYPING_RULES: readonly [string, Rule][] = [
  ["tmux", judgeTyping(/(?:^|[ ;])(?:send|send-keys|paste-buffer|pasteb|respawn-\w+)(?: |$)/)],
  [
    "screen",
    judgeTyping(/(?:^| )-\w*X (?:stuff|paste|process|register|writebuf|readbuf|exec)(?: |$)/),
  ],
  ["dtach", judgeTyping(/(?:^| )-p(?: |$)/)],
  ["zellij", judgeTyping(/(?:^| )write(?:-chars)?(?: |$)/)],
  ...registerRule("kitty kitten wezterm", judgeTyping(/(?:^| )send-(?:text|key)(?: |$)/)),
  ...registerRule("xdotool ydotool wtype dotool xte", judgeTyping(/^/)),
];
