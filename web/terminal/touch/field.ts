// Owns what a phone's keyboard means by what it does to the text field that it types into: letters
// one by one or a word at once, a word put in place of another, something deleted. Pure. It looks at
// the field's text before and after, since keyboards tell everything else each in their own way.

export interface Field {
  /** What of the field's text the program has got. */
  readonly sent: string;
  readonly isComposing: boolean;
  /** What the terminal has made of a key by itself, until the field has it, too. */
  readonly key: string | undefined;
}

export type FieldEvent =
  /** A key that the terminal deals with by itself, until it is let go. */
  | { readonly kind: "key"; readonly key: string | undefined }
  /** The field is about to change, or a composition to begin. */
  | { readonly kind: "before"; readonly text: string }
  | { readonly kind: "compose" }
  /** `data`: what is being composed, or what is new; `how`: the browser's name for it. */
  | {
      readonly kind: "input";
      readonly how: string;
      readonly data: string | null;
      readonly text: string;
    }
  | { readonly kind: "composed"; readonly text: string }
  /** Something is to be deleted where there is nothing. */
  | { readonly kind: "delete" };

export interface Taken {
  readonly field: Field;
  /** As if typed. */
  readonly send: string;
}

export const EMPTY: Field = { sent: "", isComposing: false, key: undefined };

const DELETE = "\u007F";

/**
 * `live`: words are composed letter by letter, which programs get as they come; where letters become
 * others (pinyin, kana), only the whole is sent.
 */
export function take(field: Field, event: FieldEvent, live: boolean): Taken {
  switch (event.kind) {
    case "key":
      return { field: { ...field, key: event.key }, send: "" };
    case "before":
      // The terminal empties it now and then.
      return { field: field.isComposing ? field : { ...field, sent: event.text }, send: "" };
    case "compose":
      return { field: { ...field, isComposing: true }, send: "" };
    case "input": {
      const { text } = event;
      if (isKeys(field, event))
        return { field: { ...field, key: undefined, sent: text }, send: "" };
      const shown = field.isComposing ? without(event, live) : text;
      return { field: { ...field, sent: shown }, send: between(field.sent, shown) };
    }
    case "composed":
      return {
        field: { ...field, isComposing: false, sent: event.text },
        send: between(field.sent, event.text),
      };
    case "delete":
      return { field: EMPTY, send: field.key === "Backspace" ? "" : DELETE };
    default:
      return event satisfies never;
  }
}

/** What an editor of lines has to get so that `before` becomes `after`. */
export function between(before: string, after: string): string {
  const [old, now] = [Array.from(before), Array.from(after)];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  return DELETE.repeat(old.length - same) + now.slice(same).join("").replace(/\n/g, "\r");
}

/** Whether the field only shows what a key has done already. */
function isKeys({ key, isComposing }: Field, event: FieldEvent & { kind: "input" }): boolean {
  if (key === undefined || isComposing) return false;
  if (event.how === "insertText") return event.data === key;
  if (event.how === "deleteContentBackward") return key === "Backspace";
  return /^insert(LineBreak|Paragraph)$/.test(event.how) && key === "Enter";
}

/** The text without what is still being composed, unless that can be sent as it is. */
function without({ data, text }: FieldEvent & { kind: "input" }, live: boolean): string {
  const composed = data ?? "";
  if (live && /^[ -~]*$/.test(composed)) return text;
  return composed !== "" && text.endsWith(composed) ? text.slice(0, -composed.length) : text;
}
