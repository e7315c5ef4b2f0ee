// Owns drawing a message in which text between backticks is shown as code.

export function MessageText({ text }: { text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
