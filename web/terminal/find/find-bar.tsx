// Owns the find bar over a terminal. Loaded together with finder.ts on first use.

import { useLayoutEffect, useRef } from "preact/hooks";
import { getHints } from "../../commands/command.ts";
import type { Command } from "../../commands/command.ts";
import { useVisit } from "../../context.ts";
import { LEAVE_FIND, MATCH_CASE, NEWER, OLDER, REGEX } from "./find-commands.ts";
import "./find.css";
import type { Finder } from "./finder.ts";
import { formatMatches } from "./finder.ts";

export { Finder } from "./finder.ts";

export interface FindBarProps {
  finder: Finder;
  onLeave: () => void;
}

export function FindBar({ finder, onLeave }: FindBarProps) {
  const { session, commands } = useVisit();
  const input = useRef<HTMLInputElement>(null);
  const focus = finder.focus.value;
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [focus]);
  const error = finder.error.value;
  const matches = finder.matches.value;
  return (
    <div
      class="find"
      role="search"
      aria-label="Find in the terminal"
      onKeyDown={(event) => {
        // Enter on a button presses the button.
        if (event.key === "Enter" && event.target !== input.current) return;
        commands.onKeyDown(event, session, "find");
      }}
    >
      <input
        ref={input}
        type="text"
        aria-label="Find"
        placeholder="Find"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={error !== undefined || matches?.count === 0}
        value={finder.text.value}
        onInput={(event) => finder.search(event.currentTarget.value)}
      />
      <output class="find-count" aria-live="polite">
        {error ?? formatMatches(matches)}
      </output>
      <FindButton
        command={MATCH_CASE}
        pressed={finder.caseSensitive.value}
        onPress={() => finder.toggle("caseSensitive")}
      >
        Aa
      </FindButton>
      <FindButton
        command={REGEX}
        pressed={finder.regex.value}
        onPress={() => finder.toggle("regex")}
      >
        .*
      </FindButton>
      <FindButton command={OLDER} onPress={() => finder.findOlder()}>
        ↑
      </FindButton>
      <FindButton command={NEWER} onPress={() => finder.findNewer()}>
        ↓
      </FindButton>
      <FindButton command={LEAVE_FIND} onPress={onLeave}>
        ×
      </FindButton>
    </div>
  );
}

interface FindButtonProps {
  command: Command;
  pressed?: boolean;
  onPress: () => void;
  children: string;
}

function FindButton({ command, pressed, onPress, children }: FindButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={command.title}
      aria-pressed={pressed}
      {...getHints(command)}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
