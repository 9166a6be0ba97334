import { CopyButton } from '../../kit/buttons.tsx';

/** A command for the terminal of the server, to copy. */
export function Command({ text }: { text: string }) {
  return (
    <span className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-2.5">
      <code className="min-w-0 flex-1 overflow-x-auto whitespace-nowrap font-mono text-sm">{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </span>
  );
}
