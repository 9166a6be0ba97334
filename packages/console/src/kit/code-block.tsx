import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  /** What it is, for screen readers: "The command". */
  label: string;
  text: string;
}

/** Something to copy and paste elsewhere. */
export function CodeBlock({ label, text }: CodeBlockProps) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-3">
      <pre className="min-w-0 flex-1 whitespace-pre-wrap break-all py-1 font-mono text-sm">
        <code aria-label={label}>{text}</code>
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}
