// The page's entry: removes the token from the address bar before anything else, then renders.

import "./style.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { Commands } from "./commands/commands.ts";
import type { Visit } from "./context.ts";
import { COMMANDS, KINDS } from "./kinds.ts";
import { browserStorage, withRemembered } from "./session/device.ts";
import { comeBack, isInstalled, LAST } from "./session/last.ts";
import { Session } from "./session/session.ts";
import { Store } from "./session/store.ts";
import { keepToken, questionOf, tabStorage, takeToken, workspaceOf } from "./session/token.ts";
import { settings } from "./settings/settings.ts";
import { restoreSplits } from "./splits/load.ts";
import { applyThemes } from "./themes/apply.ts";
import { App } from "./ui/app.tsx";

const storage = tabStorage();
const kept = browserStorage();
const workspace = workspaceOf(location.pathname);
const commands = new Commands(COMMANDS, () => settings.peek().shell);
const visit = signal<Visit | undefined>(undefined);

function arrive(): void {
  if (workspace === undefined) return;
  const both = withRemembered(storage, kept, workspace);
  const token = takeToken({ location, history, storage: both }, workspace);
  if (token !== undefined) join(workspace, token);
}

function join(id: string, token: string): void {
  kept?.setItem(LAST, id);
  visit.peek()?.session.dispose();
  const store = new Store(id, storage, KINDS);
  restoreSplits(store);
  store.approvals.wanted.value = questionOf(location.pathname);
  visit.value = { session: new Session(store, token, kept), commands };
}

function onToken(token: string): void {
  if (workspace === undefined) return;
  keepToken(storage, workspace, token);
  join(workspace, token);
}

applyThemes(document.documentElement);
comeBack({ location, storage: kept, isInstalled: isInstalled() });
arrive();
// A link for the same workspace, pasted into the address bar, changes only the fragment: no page load.
globalThis.addEventListener("hashchange", () => location.hash !== "" && arrive());

const root = document.getElementById("app");
if (root) render(<App workspace={workspace} visit={visit} onToken={onToken} />, root);
for (const kind of Object.values(KINDS)) void kind.preload?.();
