import { visibleParts } from '@svc/contract/visible-text';

/** Text for approval, exactly as it is: characters that would not be seen, or that would turn the text around, are shown. */
export function VisibleText({ text }: { text: string }) {
  return <Parts parts={visibleParts(text)} />;
}

/** The name of something, or a value, by others. It cannot pass for another one by turning text around or hiding in it. */
export function NameText({ text }: { text: string }) {
  return <Parts parts={visibleParts(text, 'deceptive')} />;
}

function Parts({ parts }: { parts: ReturnType<typeof visibleParts> }) {
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
