// Owns drawing an agent's text from a closed set of elements. Never passes markup to the browser.
// Also owns a button that copies a text and shows whether it worked. And how often a growing text
// is parsed again: seldom enough to stay a small part of the page's work, however long the text is.

import { useMemo, useEffect, useState, useRef } from "preact/hooks";
import type { Block, Inline } from "./markdown.ts";
import { parseMarkdown } from "./markdown.ts";

export function Markdown({ text }: { text: string }) {
  const blocks = useThrottled(text, parseMarkdown);
  return (
    <div class="md">
      {blocks.map((block, at) => (
        <BlockPart key={at} block={block} />
      ))}
    </div>
  );
}

/** Memoizes a block: while text is arriving, only the last block changes. */
function BlockPart({ block }: { block: Block }) {
  return useMemo(() => <BlockElement block={block} />, [block.raw]);
}

function BlockElement({ block }: { block: Block }) {
  switch (block.is) {
    case "paragraph":
      return (
        <p>
          <Inlines of={block.of} />
        </p>
      );
    case "line":
      return <Inlines of={block.of} />;
    case "heading":
      return (
        <p
          class={`md-heading level-${Math.min(block.level, 4)}`}
          role="heading"
          aria-level={Math.min(6, block.level + 2)}
        >
          <Inlines of={block.of} />
        </p>
      );
    case "code":
      return <Code text={block.text} lang={block.lang} />;
    case "quote":
      return (
        <blockquote>
          <Blocks of={block.of} />
        </blockquote>
      );
    case "list":
      return <List block={block} />;
    case "table":
      return <Table block={block} />;
    case "rule":
      return <hr />;
    default:
      return block satisfies never;
  }
}

function Blocks({ of }: { of: readonly Block[] }) {
  return (
    <>
      {of.map((block, at) => (
        <BlockElement key={at} block={block} />
      ))}
    </>
  );
}

function List({ block: { start, items } }: { block: Extract<Block, { is: "list" }> }) {
  const parts = items.map(({ done, blocks: of }, at) => (
    <li key={at} class={done === undefined ? undefined : "task"}>
      {done !== undefined && (
        <span role="img" aria-label={done ? "done" : "to do"}>
          {done ? "☑ " : "☐ "}
        </span>
      )}
      <Blocks of={of} />
    </li>
  ));
  return start === undefined ? <ul>{parts}</ul> : <ol start={start}>{parts}</ol>;
}

function Table({ block: { align, head, rows } }: { block: Extract<Block, { is: "table" }> }) {
  const look = (at: number): string => `to-${align[at] ?? "left"}`;
  return (
    <div class="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} class={look(at)}>
                <Inlines of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, at) => (
                <td key={at} class={look(at)}>
                  <Inlines of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Code({ text, lang }: { text: string; lang: string }) {
  const name = /^[\w+#.-]{1,24}/.exec(lang)?.[0] ?? "";
  return (
    <div class="md-code">
      <div class="md-code-head">
        <span>{name}</span>
        <CopyButton text={() => text} what="code" />
      </div>
      <pre tabIndex={0} role="group" aria-label={name === "" ? "Code" : `Code, ${name}`}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function Inlines({ of }: { of: readonly Inline[] }) {
  return (
    <>
      {of.map((one, at) => (
        <InlineElement key={at} one={one} />
      ))}
    </>
  );
}

function InlineElement({ one }: { one: Inline }) {
  switch (one.is) {
    case "text":
      return <>{one.text}</>;
    case "code":
      return <code>{one.text}</code>;
    case "strong":
      return (
        <strong>
          <Inlines of={one.of} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines of={one.of} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines of={one.of} />
        </del>
      );
    case "link":
      return (
        <a
          href={one.to.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          title={one.to.href}
        >
          <Inlines of={one.of} />
          {!one.isPlain && <span class="target"> ({one.to.shown})</span>}
        </a>
      );
    case "break":
      return <br />;
    default:
      return one satisfies never;
  }
}

/** Long enough to be read. */
const FEEDBACK_MS = 1500;

export function CopyButton({ text, what }: { text: () => string; what: string }) {
  const [feedback, setFeedback] = useState("");
  useEffect(() => {
    if (feedback === "") return undefined;
    const timer = setTimeout(() => setFeedback(""), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [feedback]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setFeedback("Copied");
    } catch {
      // No permission, or the page was not loaded over TLS.
      setFeedback("Not allowed");
    }
  };
  return (
    <button
      type="button"
      class="small-button"
      aria-label={feedback === "" ? `Copy ${what}` : feedback}
      onClick={() => void copy()}
    >
      {feedback === "" ? "Copy" : feedback}
    </button>
  );
}

/** One frame; then `SHARE` times what the last parsing took. */
const MIN_MS = 16;
const SHARE = 8;

function useThrottled<T>(text: string, read: (text: string) => T): T {
  const latest = useRef(text);
  latest.current = text;
  const cost = useRef(MIN_MS);
  const timed = (): { of: string; value: T } => {
    const began = performance.now();
    const value = read(latest.current);
    cost.current = Math.max(MIN_MS, (performance.now() - began) * SHARE);
    return { of: latest.current, value };
  };
  const [shown, setShown] = useState(timed);
  const isBehind = shown.of !== text;
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setShown(timed()), cost.current);
    return () => clearTimeout(timer);
    // Not on each piece of text: that would postpone the update forever.
  }, [isBehind, shown]);
  return shown.value;
}
