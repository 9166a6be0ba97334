import { visibleParts } from '@svc/contract/visible-text';

/** Text by others, exactly as it is: characters that would not be seen, or that would turn the text around, are shown. */
export function VisibleText({ text }: { text: string }) {
  const parts = visibleParts(text);
  if (parts.length === 1 && !parts[0]?.isHidden) return text;
  return parts.map((part, index) =>
    part.isHidden ? (
      <mark
        // oxlint-disable-next-line react/no-array-index-key -- the parts of a text have no other identity
        key={index}
        title="An invisible character"
        className="rounded-sm bg-danger-tint px-0.5 font-mono text-danger-ink"
      >
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}
