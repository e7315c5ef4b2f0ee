// Owns the recordings dialog: the list and its actions. Loaded when it is opened.

import { formatTime, formatBytes, formatClock } from "../../protocol/formats.ts";
import { useEffect, useState } from "preact/hooks";
import type { Cast } from "../../protocol/asciicast.ts";
import { readCast } from "../../protocol/asciicast.ts";
import type { RecordingRow } from "../../protocol/http.ts";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import type { Session } from "../session/session.ts";
import { lazyComponent } from "../lazy.tsx";
import "./recordings.css";

const Replay = lazyComponent(async () => (await import("./replay.tsx")).Replay);

const NO_ANSWER = "The host is not responding. Try again in a moment.";

export function Recordings() {
  const session = useSession();
  const [rows, setRows] = useState<readonly RecordingRow[]>();
  const [shown, setShown] = useState<{ row: RecordingRow; cast: Cast }>();
  const [confirmingId, setConfirmingId] = useState<string>();

  const reload = async (): Promise<void> => {
    const answer = await fetchOrToast(session, "/recordings");
    const body: unknown = await answer?.json();
    setRows(Array.isArray(body) ? body.filter(isRow) : []);
  };
  useEffect(() => void reload(), [session]);

  const replay = async (row: RecordingRow): Promise<void> => {
    const answer = await fetchOrToast(session, `/recordings/${row.id}`);
    if (!answer) return;
    const read = readCast(await answer.text());
    if (read.ok) setShown({ row, cast: read.cast });
    else session.store.toast(`This recording cannot be replayed: ${read.error}.`);
  };
  const remove = async ({ id }: RecordingRow): Promise<void> => {
    if (confirmingId !== id) return setConfirmingId(id);
    await fetchOrToast(session, `/recordings/${id}`, "DELETE");
    return await reload();
  };

  if (shown) {
    return (
      <>
        <p class="recording-title">
          <button type="button" class="quiet" onClick={() => setShown(undefined)}>
            ← All recordings
          </button>
          <span>{showInvisible(shown.row.title)}</span>
        </p>
        <Replay cast={shown.cast} />
      </>
    );
  }
  if (!rows) return <p>Loading…</p>;
  if (rows.length === 0) {
    return <p>No recordings yet. Start one in the menu below a terminal (⋯).</p>;
  }
  return (
    <ul class="recordings">
      {rows.map((row) => (
        <li key={row.id}>
          <p>
            <strong>{showInvisible(row.title) || "A terminal"}</strong>
            <span>
              {formatTime(row.startedAt, Date.now())} · {formatClock(row.seconds)} ·{" "}
              {formatBytes(row.bytes)}
              {row.running && <b class="recording-now"> · ● still running</b>}
            </span>
          </p>
          <button type="button" class="primary" onClick={() => void replay(row)}>
            Replay
          </button>
          <button type="button" class="quiet" onClick={() => void download(session, row)}>
            Download
          </button>
          {!row.running && (
            <button type="button" class="quiet" onClick={() => void remove(row)}>
              {confirmingId === row.id ? "Really delete" : "Delete"}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function isRow(value: unknown): value is RecordingRow {
  return typeof value === "object" && value !== null && "id" in value && "startedAt" in value;
}

async function download(session: Session, { id }: RecordingRow): Promise<void> {
  const answer = await fetchOrToast(session, `/recordings/${id}`);
  if (!answer) return;
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = `pairpty-${id}.cast`;
  link.click();
  URL.revokeObjectURL(url);
}

/** Fetches a path of the workspace; shows failures as a toast. */
async function fetchOrToast(
  session: Session,
  path: string,
  method = "GET",
): Promise<Response | undefined> {
  try {
    const response = await session.request(path, { method });
    if (response.ok) return response;
    const body: unknown = await response.json();
    const isError = typeof body === "object" && body !== null && "error" in body;
    session.store.toast(isError ? `${String(body.error)}.` : NO_ANSWER);
  } catch {
    session.store.toast(NO_ANSWER);
  }
  return undefined;
}
