// Owns drawing the timeline: filters, agents' actions line by line, and live updates.

import { formatTime } from "../../protocol/formats.ts";
import { useEffect, useMemo } from "preact/hooks";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import type { TimelineLine } from "./timeline.ts";
import { Timeline } from "./timeline.ts";
import type { Filter } from "./audit-actions.ts";
import { NO_FILTER, ACTION_KINDS, ACTION_OUTCOMES } from "./audit-actions.ts";

export function TimelineList() {
  const session = useSession();
  const { store } = session;
  const timeline = useMemo(() => new Timeline((request) => session.send(request)), [session]);
  const why = store.readOnlyReason("show what agents did");
  const isThere = store.reachable.value && why === undefined;
  useEffect(() => {
    store.timeline.value = timeline;
    return () => {
      if (store.timeline.peek() === timeline) store.timeline.value = undefined;
    };
  }, [timeline]);
  useEffect(() => {
    if (!isThere) return undefined;
    timeline.open();
    return () => timeline.close();
  }, [isThere, timeline]);
  if (why !== undefined) return <p class="hint">{why}</p>;
  return (
    <section class="agents-section timeline" aria-label="What agents did">
      <h2>What agents did</h2>
      <Filters timeline={timeline} />
      {timeline.refusal.value !== "" && <p class="fault">{timeline.refusal.value}</p>}
      <ActionList timeline={timeline} />
      {timeline.skipped.value > 0 && (
        <p class="hint" role="status">
          {timeline.skipped.value} more arrived too fast to show.{" "}
          <button type="button" class="quiet" onClick={() => timeline.open()}>
            Load them
          </button>
        </p>
      )}
    </section>
  );
}

function Filters({ timeline }: { timeline: Timeline }) {
  const filter = timeline.filter.value;
  const set = (part: Partial<Filter>): void =>
    void (timeline.filter.value = { ...filter, ...part });
  const isSet = Object.values(filter).some((value) => value !== "");
  return (
    <div class="timeline-filters" role="group" aria-label="Filters">
      <Choice
        label="Agent"
        value={filter.who}
        all={timeline.agents.value}
        onChoose={(who) => set({ who })}
      />
      <Choice
        label="Kind"
        value={filter.kind}
        all={ACTION_KINDS}
        onChoose={(kind) => set({ kind })}
      />
      <Choice
        label="Outcome"
        value={filter.outcome}
        all={ACTION_OUTCOMES}
        onChoose={(outcome) => set({ outcome })}
      />
      <input
        type="text"
        aria-label="Words"
        placeholder="Words"
        autocomplete="off"
        spellcheck={false}
        value={filter.text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
      />
      <button type="button" class="quiet" disabled={!isSet} onClick={() => set(NO_FILTER)}>
        All
      </button>
    </div>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T | "";
  all: readonly T[];
  onChoose: (value: T | "") => void;
}

function Choice<T extends string>({ label, value, all, onChoose }: ChoiceProps<T>) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) =>
        onChoose(all.find((one) => one === currentTarget.value) ?? "")
      }
    >
      <option value="">{label}: all</option>
      {all.map((one) => (
        <option key={one} value={one}>
          {showInvisible(one)}
        </option>
      ))}
    </select>
  );
}

/** Lists the newest first: new lines appear at the top, and a reader further down is not moved. */
function ActionList({ timeline }: { timeline: Timeline }) {
  const deeds = timeline.shown.value;
  const isEmpty = deeds.length === 0 && !timeline.isLoading.value;
  return (
    <div class="timeline-list" role="log" aria-label="Timeline" tabIndex={0}>
      {isEmpty && (
        <p class="hint">
          {timeline.actions.value.length === 0
            ? "No agent has done anything yet."
            : "Nothing matches."}
        </p>
      )}
      <ol>
        {deeds.toReversed().map((deed) => (
          <ActionRow key={deed.key} deed={deed} />
        ))}
      </ol>
      {typeof timeline.before.value === "string" && (
        <button
          type="button"
          class="quiet older"
          disabled={timeline.isLoading.value}
          onClick={() => timeline.loadOlder()}
        >
          Show older
        </button>
      )}
    </div>
  );
}

function ActionRow({ deed }: { deed: TimelineLine }) {
  const { store } = useSession();
  const { terminal } = deed;
  const known = store.findTerminal(terminal);
  return (
    <li class="deed" data-outcome={deed.outcome}>
      <time dateTime={deed.at} title={deed.at}>
        {formatTime(Date.parse(deed.at), Date.now(), { seconds: true })}
      </time>
      <span class="deed-who">{showInvisible(deed.who)}</span>
      <span class="deed-what">
        <b>{showInvisible(deed.what)}</b> <small>{deed.kind}</small>
        {deed.count > 1 && <small class="deed-count"> × {deed.count}</small>}
      </span>
      <span class="deed-subject">
        {deed.subject !== "" && <code>{showInvisible(deed.subject)}</code>}
        {deed.result !== "" && <span class="deed-result">{showInvisible(deed.result)}</span>}
        <DeedReasons why={deed.why} />
        {known && terminal !== undefined && (
          <button
            type="button"
            class="deed-link"
            onClick={() => store.views.enter(toTerminalView(terminal))}
          >
            Show terminal
          </button>
        )}
      </span>
    </li>
  );
}

/** Shows the gravest reason; the others fold out. */
function DeedReasons({ why: [gravest, ...more] }: { why: readonly string[] }) {
  if (gravest === undefined) return null;
  if (more.length === 0) return <small>{showInvisible(gravest)}</small>;
  return (
    <details>
      <summary>
        <small>
          {showInvisible(gravest)} ({more.length} more)
        </small>
      </summary>
      {more.map((reason) => (
        <small key={reason}>{showInvisible(reason)}</small>
      ))}
    </details>
  );
}
