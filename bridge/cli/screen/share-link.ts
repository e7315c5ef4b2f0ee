// Owns what the first screen does with a link: makes one to share, draws its QR code, copies it,
// opens it in a browser.

import type { Ready } from "../../doors/control/control-requests.ts";
import { getDefaultLifetimeMs } from "../../grants/duration.ts";
import { parseRelayAddress } from "../../link/relay-address.ts";
import type { RunningBridge } from "../answers/control-answers.ts";
import { share } from "../answers/share-answer.ts";
import type { StartOptions } from "../flags/start-options.ts";
import { formatLocalLinkNote } from "../output/link-notes.ts";
import {
  colors,
  printError,
  printLine,
  printNote,
  printWrapped,
  printWarning,
  hasColors,
  isDumb,
  getWindowEnvironment,
  canReadKeys,
} from "../output/output.ts";
import type { BannerWindow } from "./banner.ts";
import { formatLink } from "./banner.ts";

const DEFAULT_WINDOW = { columns: 80, rows: 24 };

export const QR_CAPTION_LINES = 2;

export async function shareLink(
  role: "view" | "edit",
  name: string | undefined,
  running: RunningBridge,
  options: StartOptions,
): Promise<string | undefined> {
  const window = getWindow();
  const label = name ?? `shared ${new Date().toTimeString().slice(0, 5)}`;
  try {
    const { grant, link = "" } = await share(
      {
        verb: "share",
        role,
        scopes: [],
        label,
        expiresInMs: getDefaultLifetimeMs(role),
        quietly: false,
      },
      running,
    );
    const whose = name === undefined ? "" : `${name}, `;
    const what = role === "edit" ? "An edit" : "A view";
    const lifetime = role === "edit" ? "1 day" : "30 days";
    const copies = name === undefined ? "Press c to copy it; " : "";
    printWrapped(
      `\n  ${what} link for ${whose}${lifetime}. ${copies}\`pairpty revoke ${grant.id}\` revokes it.`,
    );
    for (const line of formatLink("Link", link, window)) printLine(line);
    const code = await renderQrCode(link, running.ready, options, {
      ...window,
      rows: window.rows - 5,
    });
    printNote(code === undefined ? "" : ["", ...code, ""].join("\n"));
    const localNote = formatLocalLinkNote(link);
    if (localNote !== undefined) printWrapped(`  ${localNote}`);
    return link;
  } catch (error) {
    printError(error);
    return undefined;
  }
}

/** Returns the QR code if a phone could open the link and the code fits. */
export async function renderQrCode(
  link: string,
  { relay }: Pick<Ready, "relay">,
  { qr }: StartOptions,
  window: BannerWindow,
): Promise<string[] | undefined> {
  if (!qr || !canReadKeys(getWindowEnvironment()) || parseRelayAddress(relay, true).loopback)
    return undefined;
  const { formatQrCode } = await import("./qr-code.ts");
  return formatQrCode(link, { ...window, colors: hasColors(process.env, process.stderr) });
}

export async function copyLink(link: string, name: string): Promise<void> {
  const { formatCopied, copyToClipboard: copy } = await import("./clipboard.ts");
  const words = formatCopied(await copy(link));
  if (words === undefined) {
    return printWarning(`could not copy the ${name}: no clipboard is available here`);
  }
  return printWrapped(`  ${name} ${words}`, colors.dim);
}

export async function openPage(link: string): Promise<void> {
  const { default: open } = await import("open");
  await open(link).catch(() => printWarning("could not open a browser: open the link yourself"));
}

export function getWindow(): BannerWindow {
  const { columns, rows } = { ...DEFAULT_WINDOW, ...getStreamSize(process.stderr) };
  return { columns, rows, ascii: isDumb(process.env) };
}

/** Returns the size, leaving out what the window does not report. */
function getStreamSize({ columns, rows }: NodeJS.WriteStream): Partial<typeof DEFAULT_WINDOW> {
  return { ...(columns > 0 ? { columns } : {}), ...(rows > 0 ? { rows } : {}) };
}
