// Owns making links in the page, for people whom the host allows to: a form, the new link with its
// QR code, and the list of links made here. Also owns a link as a QR code on the page. The encoder
// is loaded when the first one is drawn.

import { useEffect, useState } from "preact/hooks";
import { formatTime } from "../../protocol/formats.ts";
import { isLoopback } from "../../protocol/names.ts";
import type { RoomLink } from "../../protocol/room.ts";
import { useSession } from "../context.ts";
import { formatLinkCreated } from "../session/people.ts";

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { text: "2 hours", value: 7_200_000 },
  { text: "1 day", value: DAY_MS },
  { text: "30 days", value: 30 * DAY_MS },
] as const;

export function Sharing() {
  const session = useSession();
  const { people } = session.store;
  useEffect(() => {
    session.send({ type: "room:links" });
    return () => void (people.shared.value = undefined);
  }, []);
  const shared = people.shared.value;
  return (
    <section class="sharing" aria-label="Links">
      <h3>Invite someone</h3>
      <ShareForm />
      {shared && (
        <div class="shared" role="status">
          <p>{formatLinkCreated(shared.grant.label)}</p>
          <input readOnly value={shared.link} aria-label="The link" onFocus={selectAll} />
          <button type="button" class="quiet" onClick={() => void copy(session, shared.link)}>
            Copy
          </button>
          {isLoopback(shared.link) && (
            <p>
              This link works only on the host’s machine. To invite someone elsewhere, the host runs{" "}
              <code>pairpty --tunnel</code>.
            </p>
          )}
          <QrCode text={shared.link} />
        </div>
      )}
      {people.links.value.length > 0 && (
        <ul class="people">
          {people.links.value.map((link) => (
            <LinkRow key={link.id} link={link} />
          ))}
        </ul>
      )}
    </section>
  );
}

function ShareForm() {
  const session = useSession();
  const [label, setLabel] = useState("");
  const [role, setRole] = useState<"view" | "edit">("view");
  const [expiresInMs, setExpires] = useState<number>(DAY_MS);
  const [knock, setKnock] = useState(false);
  return (
    <form
      class="share-form"
      onSubmit={(event) => {
        event.preventDefault();
        session.send({ type: "room:share", role, label: label.trim(), expiresInMs, knock });
        setLabel("");
      }}
    >
      <input
        value={label}
        maxLength={80}
        placeholder="Who is it for?"
        aria-label="Who is it for?"
        onInput={(event) => setLabel(event.currentTarget.value)}
      />
      <select
        value={role}
        aria-label="What they can do"
        onChange={(event) => setRole(event.currentTarget.value === "edit" ? "edit" : "view")}
      >
        <option value="view">can watch</option>
        <option value="edit">can type (full shell access)</option>
      </select>
      <select
        value={expiresInMs}
        aria-label="How long it lasts"
        onChange={(event) => setExpires(Number(event.currentTarget.value))}
      >
        {LIFETIMES.map(({ text, value }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={knock}
          onChange={(event) => setKnock(event.currentTarget.checked)}
        />{" "}
        they wait until you let them in
      </label>
      <button type="submit" class="primary">
        Make a link
      </button>
    </form>
  );
}

function LinkRow({ link }: { link: RoomLink }) {
  const session = useSession();
  const { id, label, role, expiresAt, knock } = link;
  const until =
    expiresAt === null ? "until pairpty stops" : `until ${formatTime(expiresAt, Date.now())}`;
  return (
    <li>
      <div class="person">
        <strong>{label}</strong>
        <span class="soft">
          {role === "agent" ? "agent’s token" : `${role} link`}
          {knock ? ", waits to be let in" : ""}, {until}
        </span>
      </div>
      <button type="button" class="quiet" onClick={() => session.send({ type: "room:revoke", id })}>
        Revoke
      </button>
    </li>
  );
}

function selectAll(event: FocusEvent): void {
  if (event.target instanceof HTMLInputElement) event.target.select();
}

/** Copies the link. The clipboard API needs a secure context, which a LAN address is not. */
async function copy(session: ReturnType<typeof useSession>, link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    session.store.toast("Copied.");
  } catch {
    session.store.toast("This browser did not allow copying. Select the link and copy it.");
  }
}

interface QrMatrix {
  readonly size: number;
  readonly path: string;
}

function QrCode({ text }: { text: string }) {
  const [code, setCode] = useState<QrMatrix>();
  useEffect(() => {
    let wanted = true;
    const draw = async (): Promise<void> => {
      const made = await encodeQr(text);
      if (wanted) setCode(made);
    };
    void draw();
    return () => {
      wanted = false;
    };
  }, [text]);
  if (!code) return null;
  return (
    <svg
      class="qr"
      role="img"
      aria-label="The link as a QR code"
      viewBox={`0 0 ${code.size} ${code.size}`}
      shape-rendering="crispEdges"
    >
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  );
}

async function encodeQr(text: string): Promise<QrMatrix> {
  const { encode } = await import("uqr");
  const { data, size } = encode(text, { border: 3, ecc: "L" });
  const cells = data.flatMap((row, y) => row.map((ink, x) => (ink ? `M${x} ${y}h1v1h-1z` : "")));
  return { size, path: cells.join("") };
}
