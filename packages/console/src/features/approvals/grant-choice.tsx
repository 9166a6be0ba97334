import type { GrantOffer, GrantScope } from '@svc/contract/approval-grants';
import { Select } from '../../kit/fields.tsx';
import { VisibleText } from '../../kit/labels.tsx';

export type GrantChoice = GrantScope | 'once';

interface GrantChoiceProps {
  offer: GrantOffer;
  value: GrantChoice;
  onChange: (value: GrantChoice) => void;
}

const choices: { value: GrantChoice; label: string; description: string }[] = [
  { value: 'once', label: 'Ask again next time', description: 'Only this call is approved.' },
  {
    value: 'conversation',
    label: 'Allow it in this conversation',
    description: 'Until the conversation is deleted, or until it is revoked.',
  },
  {
    value: 'machine',
    label: 'Allow it on this machine',
    description: 'In every conversation of this user with this bot.',
  },
];

/** Whether an approval also counts for the next call of this kind. */
export function GrantChoiceField({ offer, value, onChange }: GrantChoiceProps) {
  return (
    <div className="flex flex-col gap-1">
      <Select label="Next time" className="max-w-80" options={choices} value={value} onChange={onChange} />
      {value !== 'once' && (
        <p className="text-ink-2 text-sm [overflow-wrap:anywhere]" role="status">
          Allows without asking: <GrantText {...offer} />
        </p>
      )}
    </div>
  );
}

/** What a grant covers, in words. */
export function GrantText({ kind, command, directory }: GrantOffer) {
  const place = (
    <code className="font-mono">
      <VisibleText text={directory} />
    </code>
  );
  if (kind === 'edits') return <span>changes of files in {place}, but not of secrets or of .git</span>;
  return (
    <span>
      <code className="font-mono">
        <VisibleText text={command ?? ''} />
      </code>{' '}
      in {place}, word for word
    </span>
  );
}
