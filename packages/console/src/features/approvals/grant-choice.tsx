import type { GrantOffer } from '@svc/contract/approval-grants';
import type { Approval, ApprovalResponse } from '@svc/contract/approvals';
import { useToolNames } from '../../app/tool-names.ts';
import { Select } from '../../kit/fields.tsx';
import { VisibleText } from '../../kit/labels.tsx';

export type GrantChoice = 'once' | 'conversation' | 'machine' | 'hour' | 'bot';

interface GrantChoiceProps {
  approval: Approval;
  value: GrantChoice;
  onChange: (value: GrantChoice) => void;
}

interface Choice {
  value: GrantChoice;
  label: string;
  description: string;
}

const once: Choice = {
  value: 'once',
  label: 'Ask again next time',
  description: 'Only this call is approved.',
};

const choicesOnMachine: Choice[] = [
  once,
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

const choicesOfTool: Choice[] = [
  once,
  {
    value: 'hour',
    label: 'Allow it for an hour',
    description: 'In every conversation of this bot, whatever is asked for.',
  },
  {
    value: 'bot',
    label: 'Always allow it for this bot',
    description: 'In every conversation, until it is revoked or the tool is changed.',
  },
];

/** What an answer says for a choice. */
export function grantIn(choice: GrantChoice): Pick<ApprovalResponse, 'grant' | 'grant_expires_in'> {
  if (choice === 'once') return {};
  return choice === 'hour' ? { grant: 'bot', grant_expires_in: 3_600 } : { grant: choice };
}

/** Whether an approval also counts for the next call of this kind. */
export function GrantChoiceField({ approval, value, onChange }: GrantChoiceProps) {
  const { grant_offer: offer, tool_grant_offered: isToolOffered, tool_name: tool } = approval;
  if (!offer && !isToolOffered) return null;
  return (
    <div className="flex flex-col gap-1">
      <Select
        label="Next time"
        className="max-w-80"
        options={offer ? choicesOnMachine : choicesOfTool}
        value={value}
        onChange={onChange}
      />
      {value !== 'once' && (
        <p className="text-ink-2 text-sm [overflow-wrap:anywhere]" role="status">
          Allows without asking: {offer ? <GrantText {...offer} /> : <ToolGrantText tool={tool} />}
        </p>
      )}
    </div>
  );
}

/** Why the choice is not there while the arguments are changed. */
export function GrantlessNote({
  approval: { grant_offer: offer, tool_grant_offered: isToolOffered },
}: Pick<GrantChoiceProps, 'approval'>) {
  if (!offer && !isToolOffered) return null;
  return (
    <p className="text-ink-3 text-sm">
      Changes count for this call only. To allow the next calls too, approve one as it is.
    </p>
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

/** What a grant for a tool covers, in words. */
export function ToolGrantText({ tool }: { tool: string }) {
  const name = useToolNames()(tool);
  return (
    <span>
      every call of{' '}
      <strong className="font-medium text-ink">
        <VisibleText text={name} />
      </strong>
      , whatever its arguments
    </span>
  );
}
