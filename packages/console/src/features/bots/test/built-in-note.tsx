import { CopyButton } from '../../../kit/buttons.tsx';

/** Says quietly that a real model would answer better, and what to set. */
export function BuiltInNote({ variables }: { variables: readonly string[] }) {
  const [variable = 'OPENAI_API_KEY'] = variables;
  return (
    <p className="flex flex-wrap items-center gap-x-1 text-ink-3 text-sm">
      Answered by the built-in model. For a real one set
      <code className="rounded-sm bg-sunken px-1 font-mono text-ink-2 text-xs">{variable}</code>
      <CopyButton text={variable} label={`Copy ${variable}`} className="size-6" />
    </p>
  );
}
