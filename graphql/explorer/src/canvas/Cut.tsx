// A name that is cut in its middle where it has no room: what tells long names apart is often at their ends.

/** Names of up to this many characters have room, or are cut at their end. */
const SHORT = 10;
const TAIL = 6;

/** What is seen is made by the style sheet, so that the name is whole for screen readers and searches. */
export function Cut({ name }: { name: string }) {
  const signs = [...name];
  if (signs.length <= SHORT) {
    return name;
  }
  const at = signs.length - TAIL;
  return (
    <span className="cut" data-head={signs.slice(0, at).join("")} data-tail={signs.slice(at).join("")}>
      <span className="unseen">{name}</span>
    </span>
  );
}
