// What is not known of an answer, each on a line of its own.

export function NotKnown({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text) => (
    <p key={text} role="alert">
      {text}
    </p>
  ));
}
