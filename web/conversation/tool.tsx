// Owns a tool call: what the agent does, its status, its files, and the result.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Entry, ToolContent } from "../../protocol/conversation.ts";
import { toDiffRuns } from "../approvals/question-subject.tsx";
import { showInvisible } from "../session/visible-text.ts";
import { diffLines, countChanges } from "./line-diff.ts";
import { Markdown } from "./prose.tsx";
import { TerminalContent } from "./terminal-content.tsx";
import { formatStatus, describeTool } from "./conversation-texts.ts";

type ToolEntry = Extract<Entry, { kind: "tool" }>;

export function Tool({ entry }: { entry: ToolEntry }) {
  const [openChoice, setOpenChoice] = useState<boolean | undefined>(undefined);
  const { title, tool, status, locations, content, input } = entry;
  const isFull = content.length > 0 || (input ?? "") !== "";
  const isOpen = isFull && (openChoice ?? isShownAtFirst(entry));
  const { name, sign } = describeTool(tool);
  const head = (
    <>
      <span class="tool-sign" title={name} aria-hidden="true">
        {sign}
      </span>
      <span class="tool-title">{showInvisible(title) || name}</span>
      <span class="tool-status" data-status={status}>
        {formatStatus(status)}
      </span>
    </>
  );
  return (
    <>
      {isFull ? (
        <button
          type="button"
          class="tool-head"
          aria-expanded={isOpen}
          onClick={() => setOpenChoice(!isOpen)}
        >
          {head}
          <span class="fold-sign" aria-hidden="true" />
        </button>
      ) : (
        <p class="tool-head">{head}</p>
      )}
      {locations.length > 0 && (
        <ul class="tool-places" aria-label="Files">
          {locations.map(({ path, line }) => (
            <li key={`${path}:${line ?? ""}`}>
              {showInvisible(line === undefined ? path : `${path}:${line}`)}
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <div class="tool-content">
          {input !== undefined && input !== "" && !isTitle(input, title) && (
            <Box name="Input">{input.split("\n").map(showInvisible).join("\n")}</Box>
          )}
          {content.map((part, at) => (
            <Part key={at} part={part} title={title} />
          ))}
        </div>
      )}
    </>
  );
}

/** Whether a call starts expanded: changes, terminals and failures do, plain text does not. */
function isShownAtFirst({ content, status }: ToolEntry): boolean {
  return status === "failed" || content.some(({ type }) => type !== "text");
}

/** Whether the input repeats the title: many agents use the command line as title. */
function isTitle(input: string, title: string): boolean {
  return input.trim() === title.trim().replaceAll(/^`|`$/g, "");
}

function Part({ part, title }: { part: ToolContent; title: string }) {
  switch (part.type) {
    case "text":
      return <Markdown text={part.text} />;
    case "diff":
      return <Changes part={part} />;
    case "terminal":
      return <TerminalContent content={part} title={title} />;
    default:
      return part satisfies never;
  }
}

function Changes({ part }: { part: Extract<ToolContent, { type: "diff" }> }) {
  const { path, oldText, newText } = part;
  const diff = useMemo(() => diffLines(oldText, newText), [oldText, newText]);
  const { added, removed } = countChanges(diff);
  return (
    <div class="tool-diff">
      <p class="tool-file">
        <span class="path">{showInvisible(path)}</span>
        {oldText === null && <span class="chip">new</span>}
        <span class="counts">
          <span class="d-plus">+{added}</span> <span class="d-minus">−{removed}</span>
        </span>
      </p>
      <Box name={`Changes in ${showInvisible(path)}`}>
        {diff === ""
          ? "No change."
          : toDiffRuns(diff).map(({ kind, text }, at) => (
              <span key={at} class={`d-${kind}`}>
                {text.split("\n").map(showInvisible).join("\n")}
              </span>
            ))}
      </Box>
    </div>
  );
}

function Box({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <pre class="tool-box" role="group" aria-label={name} tabIndex={0}>
      {children}
    </pre>
  );
}
