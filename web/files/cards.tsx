// Owns the cards of files that are being uploaded to the host. Loaded with the first upload.

import { formatBytes } from "../../protocol/formats.ts";
import "./files.css";
import type { UploadItem, UploadQueue } from "./upload-queue.ts";

export function UploadCards({ sending: uploads }: { sending: UploadQueue<File> }) {
  const items = uploads.items.value;
  if (items.length === 0) return null;
  return (
    <ul class="sending" aria-label="Files being sent">
      {items.map((item) => (
        <UploadCard key={item.key} item={item} onDrop={() => uploads.drop(item.key)} />
      ))}
    </ul>
  );
}

function UploadCard({ item, onDrop }: { item: UploadItem; onDrop: () => void }) {
  const { name, size, sent, error } = item;
  const share = size === 0 ? 1 : sent / size;
  return (
    <li class={error === undefined ? "" : "bad"}>
      <p>
        <strong title={name}>{name}</strong>
        <span role={error === undefined ? undefined : "alert"}>
          {error ?? `${Math.floor(share * 100)} % of ${formatBytes(size)}`}
        </span>
      </p>
      <button
        type="button"
        class="quiet"
        aria-label={error === undefined ? `Cancel sending ${name}` : `Dismiss ${name}`}
        onClick={onDrop}
      >
        {error === undefined ? "Cancel" : "Dismiss"}
      </button>
      {error === undefined && <progress value={share} aria-label={`${name} is being sent`} />}
    </li>
  );
}
