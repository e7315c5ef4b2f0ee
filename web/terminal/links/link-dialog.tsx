// Owns the confirmation before a terminal's link is opened: the host by itself, always visible, and the whole
// target as text.

import { useState } from "preact/hooks";
import { seen } from "../../session/lines.ts";
import { copyText } from "../clipboard.ts";
import "./link.css";
import type { Link } from "./link.ts";
import { withoutMiddle } from "./link.ts";

/** Fits in two or three lines on a phone. */
const HOST_CHARS = 96;
const NAME_CHARS = 32;

export interface LinkBodyProps {
  link: Link;
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
        <bdi>{withoutMiddle(seen(link.to), HOST_CHARS)}</bdi>
      </p>
      {link.signsInAs !== "" && (
        <p class="hint">
          The text before the @ is not the site; it is a name to sign in with,{" "}
          <bdi>{withoutMiddle(seen(link.signsInAs), NAME_CHARS)}</bdi>
        </p>
      )}
      <p class="link-target">
        {seen(link.before)}
        <strong>{seen(link.to)}</strong>
        {seen(link.after)}
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
