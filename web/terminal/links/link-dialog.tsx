// Owns the confirmation before a terminal's link is opened: the host by itself, always visible, and the whole
// target as text.

import { useState } from "preact/hooks";
import { showInvisible } from "../../session/visible-text.ts";
import { copyText } from "../clipboard.ts";
import "./link.css";
import type { TerminalLink } from "./terminal-link.ts";
import { shortenMiddle } from "./terminal-link.ts";

/** Fits in two or three lines on a phone. */
const HOST_CHARS = 96;
const NAME_CHARS = 32;

export interface LinkBodyProps {
  link: TerminalLink;
  onDone: (event: { currentTarget: Element }) => void;
}

export function LinkBody({ link, onDone }: LinkBodyProps) {
  const [copied, setCopied] = useState("Copy");
  const copy = async (): Promise<void> => {
    setCopied((await copyText(link.href)) ? "Copied" : "Copying blocked: select it");
  };
  return (
    <>
      <p class="link-host">
        {link.href.startsWith("mailto:") ? "Email to " : "Opens "}
        <bdi>{shortenMiddle(showInvisible(link.target), HOST_CHARS)}</bdi>
      </p>
      {link.credentials !== "" && (
        <p class="hint">
          The text before the @ is not the site; it is a name to sign in with,{" "}
          <bdi>{shortenMiddle(showInvisible(link.credentials), NAME_CHARS)}</bdi>
        </p>
      )}
      <p class="link-target">
        {showInvisible(link.before)}
        <strong>{showInvisible(link.target)}</strong>
        {showInvisible(link.after)}
      </p>
      <p class="hint">A program in the terminal wrote this link.</p>
      <div class="actions">
        <button type="button" class="quiet" onClick={onDone}>
          Cancel
        </button>
        <button type="button" class="quiet" onClick={() => void copy()}>
          {copied}
        </button>
        <a
          class="primary"
          href={link.href}
          target="_blank"
          rel="noopener noreferrer"
          onClick={onDone}
        >
          Open
        </a>
      </div>
    </>
  );
}
