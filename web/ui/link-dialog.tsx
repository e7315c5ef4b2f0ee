// Owns the confirmation before a terminal's link is opened.

import type { ComponentProps } from "preact";
import { LinkBody } from "../terminal/links/link-dialog.tsx";
import { closeDialog, Modal } from "./modal.tsx";

export function LinkDialog({ link }: Pick<ComponentProps<typeof LinkBody>, "link">) {
  return (
    <Modal title="Open this link?">
      <LinkBody link={link} onDone={closeDialog} />
    </Modal>
  );
}
