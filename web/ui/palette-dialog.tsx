// Owns the dialog around the command palette.

import { useRef } from "preact/hooks";
import { PaletteBody } from "../palette/palette.tsx";
import { Modal } from "./modal.tsx";

export function PaletteDialog() {
  const inside = useRef<HTMLDivElement>(null);
  return (
    <Modal title="Commands and tabs" look="palette-dialog">
      <div ref={inside}>
        <PaletteBody onDone={() => inside.current?.closest("dialog")?.close()} />
      </div>
    </Modal>
  );
}
