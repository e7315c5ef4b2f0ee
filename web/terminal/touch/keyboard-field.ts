// Owns interpreting what a phone's keyboard does to its text field: inserts letters or words, replaces a word,
// deletes. Pure. Compares the field's text before and after, since other event data differs between keyboards.

export interface KeyboardField {
  /** The part of the field's text that was sent to the program. */
  readonly sent: string;
  readonly isComposing: boolean;
  /** A key that xterm has already sent, before the field's change event has arrived. */
  readonly key: string | undefined;
}

export type FieldEvent =
  /** A real key that xterm handles; undefined when released. */
  | { readonly kind: "key"; readonly key: string | undefined }
  /** The field's text before a change or a composition. */
  | { readonly kind: "before"; readonly text: string }
  | { readonly kind: "compose" }
  /** `data`: composed or inserted text; `how`: the event's inputType. */
  | {
      readonly kind: "input";
      readonly how: string;
      readonly data: string | null;
      readonly text: string;
    }
  | { readonly kind: "composed"; readonly text: string }
  /** A deletion in an empty field. */
  | { readonly kind: "delete" };

export interface FieldResult {
  readonly field: KeyboardField;
  /** Data to send as if typed. */
  readonly send: string;
}

export const EMPTY_FIELD: KeyboardField = { sent: "", isComposing: false, key: undefined };

const DELETE = "\u007F";

/**
 * Advances the field by one event. `live`: composed letters are sent immediately (Android); otherwise only the
 * finished text, as for pinyin and kana.
 */
export function applyFieldEvent(
  field: KeyboardField,
  event: FieldEvent,
  live: boolean,
): FieldResult {
  switch (event.kind) {
    case "key":
      return { field: { ...field, key: event.key }, send: "" };
    case "before":
      // xterm empties the field at times.
      return { field: field.isComposing ? field : { ...field, sent: event.text }, send: "" };
    case "compose":
      return { field: { ...field, isComposing: true }, send: "" };
    case "input": {
      const { text } = event;
      if (isAlreadySent(field, event))
        return { field: { ...field, key: undefined, sent: text }, send: "" };
      const shown = field.isComposing ? withoutComposition(event, live) : text;
      return { field: { ...field, sent: shown }, send: toEdits(field.sent, shown) };
    }
    case "composed":
      return {
        field: { ...field, isComposing: false, sent: event.text },
        send: toEdits(field.sent, event.text),
      };
    case "delete":
      return { field: EMPTY_FIELD, send: field.key === "Backspace" ? "" : DELETE };
    default:
      return event satisfies never;
  }
}

/** Returns the keys that turn `before` into `after` in a line editor: deletions, then new text. */
export function toEdits(before: string, after: string): string {
  const [old, now] = [Array.from(before), Array.from(after)];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  return DELETE.repeat(old.length - same) + now.slice(same).join("").replace(/\n/g, "\r");
}

/** Whether the change repeats a key that xterm has already sent. */
function isAlreadySent(
  { key, isComposing }: KeyboardField,
  event: FieldEvent & { kind: "input" },
): boolean {
  if (key === undefined || isComposing) return false;
  if (event.how === "insertText") return event.data === key;
  if (event.how === "deleteContentBackward") return key === "Backspace";
  return /^insert(LineBreak|Paragraph)$/.test(event.how) && key === "Enter";
}

/** Returns the text without the unfinished composition, unless that can be sent as it is. */
function withoutComposition({ data, text }: FieldEvent & { kind: "input" }, live: boolean): string {
  const composed = data ?? "";
  if (live && /^[ -~]*$/.test(composed)) return text;
  return composed !== "" && text.endsWith(composed) ? text.slice(0, -composed.length) : text;
}
