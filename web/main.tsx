// The page's entry: removes the token from the address bar before anything else, then renders.

import "./style.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { Commands } from "./commands/commands.ts";
import type { Visit } from "./context.ts";
import { COMMANDS, KINDS } from "./kinds.ts";
import {
  browserStorage,
  withRememberedToken,
  reopenLastWorkspace,
  isInstalled,
  LAST_WORKSPACE_KEY,
} from "./session/device.ts";
import { Session } from "./session/session.ts";
import { Store } from "./session/store.ts";
import {
  isToken,
  saveToken,
  parseQuestionId,
  tabStorage,
  takeToken,
  parseWorkspace,
} from "./session/token.ts";
import { settings } from "./settings/settings.ts";
import { restoreSplits } from "./splits/split-commands.ts";
import { applyThemes } from "./themes/apply-themes.ts";
import { App } from "./ui/app.tsx";

const storage = tabStorage();
const browser = browserStorage();
const workspace = parseWorkspace(location.pathname);
const commands = new Commands(COMMANDS, () => settings.peek().shell);
const visit = signal<Visit | undefined>(undefined);
/** A link in the address bar that is cut or damaged. */
const broken = signal<string | undefined>(undefined);

function joinFromAddress(): void {
  if (workspace === undefined) return;
  const tokenStorage = withRememberedToken(storage, browser, workspace);
  const token = takeToken({ location, history, storage: tokenStorage }, workspace);
  if (token !== undefined) join(workspace, token);
}

function join(id: string, token: string): void {
  visit.peek()?.session.dispose();
  visit.value = undefined;
  broken.value = isToken(token) ? undefined : token;
  if (broken.peek() !== undefined) return;
  browser?.setItem(LAST_WORKSPACE_KEY, id);
  const store = new Store(id, storage, KINDS);
  restoreSplits(store);
  store.approvals.linkedId.value = parseQuestionId(location.pathname);
  visit.value = { session: new Session(store, token, browser), commands };
}

function onToken(token: string): void {
  if (workspace === undefined) return;
  saveToken(storage, workspace, token);
  join(workspace, token);
}

applyThemes(document.documentElement);
reopenLastWorkspace({ location, storage: browser, isInstalled: isInstalled() });
joinFromAddress();
// A link for the same workspace, pasted into the address bar, changes only the fragment: no page load.
globalThis.addEventListener("hashchange", () => location.hash !== "" && joinFromAddress());

const root = document.getElementById("app");
if (root)
  render(<App workspace={workspace} visit={visit} broken={broken} onToken={onToken} />, root);
for (const kind of Object.values(KINDS)) void kind.preload?.();
