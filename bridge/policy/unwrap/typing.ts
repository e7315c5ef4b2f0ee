// Owns programs that type into another terminal or window: the keys may be a command, sent letter by
// letter. Which program reads them is not known here.

import { named, type Rule } from "../run.ts";

const typing =
  (told: RegExp): Rule =>
  (args, run) => {
    if (told.test(args.join(" ")))
      run.note("dangerous", `${run.callText()} types into another terminal`);
  };

export const TYPING_RULES: readonly [string, Rule][] = [
  ["tmux", typing(/(?:^|[ ;])(?:send|send-keys|paste-buffer|pasteb|respawn-\w+)(?: |$)/)],
  ["screen", typing(/(?:^| )-\w*X (?:stuff|paste|process|register|writebuf|readbuf|exec)(?: |$)/)],
  ["dtach", typing(/(?:^| )-p(?: |$)/)],
  ["zellij", typing(/(?:^| )write(?:-chars)?(?: |$)/)],
  ...named("kitty kitten wezterm", typing(/(?:^| )send-(?:text|key)(?: |$)/)),
  ...named("xdotool ydotool wtype dotool xte", typing(/^/)),
];
