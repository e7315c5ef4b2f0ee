// Owns drawing what a question is about: a coloured command line, or a file and its changes. Everything
// is drawn as text, and everything is visible.

import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import { formatCommandLine } from "../../protocol/formats.ts";
import { showInvisible } from "../session/visible-text.ts";
import { toDiffRuns } from "./diff-runs.ts";
import { findMentionedWords } from "./reason-highlights.ts";
import type { Token } from "./token-kinds.ts";
import { tokenizeLine, tokenizeArgv } from "./command-tokens.ts";
import { getSubjectLabel } from "./approval-texts.ts";

export function Subject({ approval }: { approval: Approval }) {
  const { kind, diff } = approval;
  const isLine = kind === "command" || kind === "input" || typeof approval.command !== "string";
  return (
    <>
      <Box name={getSubjectLabel(approval)} of={approval}>
        {isLine ? <Line approval={approval} /> : showInvisible(formatCommandLine(approval))}
      </Box>
      {diff !== undefined && (
        <Box name="The changes" of={approval}>
          <Diff text={diff} />
        </Box>
      )}
    </>
  );
}

function Line({ approval: { command, why } }: { approval: Approval }) {
  const tokens = typeof command === "string" ? tokenizeLine(command) : tokenizeArgv(command);
  const marks = findMentionedWords(tokens, why);
  return (
    <>
      {tokens.map((token, at) => (
        <Piece
          key={at}
          token={token}
          isMarked={token.word !== undefined && marks.has(token.word)}
        />
      ))}
    </>
  );
}

function Piece({ token: { kind, text }, isMarked }: { token: Token; isMarked: boolean }) {
  if (kind === "unseen") return <Invisible text={text} />;
  const shown = showInvisible(text);
  if (kind === "space") return shown;
  if (isMarked) return <mark class={`t-${kind}`}>{shown}</mark>;
  return <span class={`t-${kind}`}>{shown}</span>;
}

/** Draws invisible characters: line breaks and tabs also take effect, all others are highlighted. */
function Invisible({ text }: { text: string }) {
  const parts = text.split(/([\n\t])/).filter(Boolean);
  return (
    <>
      {parts.map((part, at) =>
        /[\n\t]/.test(part) ? (
          <span key={at} class="t-end">
            {showInvisible(part) + part}
          </span>
        ) : (
          <span key={at} class="t-unseen">
            {showInvisible(part)}
          </span>
        ),
      )}
    </>
  );
}

function Diff({ text }: { text: string }) {
  return (
    <>
      {toDiffRuns(text).map((run, at) => (
        <span key={at} class={`d-${run.kind}`}>
          {run.text.split("\n").map(showInvisible).join("\n")}
        </span>
      ))}
    </>
  );
}

interface BoxProps {
  name: string;
  of: Approval;
  children: ComponentChildren;
}

/** Draws a box that scrolls if its text does not fit, also by keyboard, and says so. */
function Box({ name, of, children }: BoxProps) {
  const box = useRef<HTMLPreElement>(null);
  const isLong = useOverflow(box, of);
  return (
    <div class="question-box">
      <pre ref={box} role="group" aria-label={name} tabIndex={isLong ? 0 : undefined}>
        {children}
      </pre>
      {isLong && <p class="more">There is more: scroll to read all of it.</p>}
    </div>
  );
}

function useOverflow(box: RefObject<HTMLElement | null>, of: Approval): boolean {
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => setLong(element.scrollHeight > element.clientHeight + 1);
    element.scrollTop = 0;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [of]);
  return isLong;
}
