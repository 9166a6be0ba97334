import type { MemberHolding } from '@svc/contract/console-session';
import type { UseQueryResult } from '@tanstack/react-query';
import { useId } from 'react';
import { Bar, InlineError, Loading } from '../../../kit/placeholders.tsx';
import { NameText } from '../../../kit/visible-text.tsx';

const typeNames = {
  key: 'Key',
  machine: 'Machine',
  machine_use: 'Use of the machine',
  identity_secret: 'Identity secret of the widget key',
  approval_notice: 'Approval notices of the bot',
  invitation: 'Invitation for',
} satisfies Record<MemberHolding['type'], string>;

/** What a member has made or was given: first what stops working, then what stays. */
export function HoldingList({ holdings }: { holdings: UseQueryResult<MemberHolding[]> }) {
  const { data, error, refetch } = holdings;
  if (error) return <InlineError error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading>
        <Bar className="w-2/3" />
      </Loading>
    );
  }
  return (
    <>
      <Group title="These stop working immediately:" items={data.filter((one) => one.is_revoked)} />
      <Group title="These stay:" items={data.filter((one) => !one.is_revoked)} />
    </>
  );
}

function Group({ title, items }: { title: string; items: readonly MemberHolding[] }) {
  const id = useId();
  if (items.length === 0) return null;
  return (
    <div>
      <p id={id}>{title}</p>
      <ul aria-labelledby={id} className="mt-1 max-h-48 list-disc overflow-y-auto pl-5">
        {items.map((item) => (
          <li key={`${item.type} ${item.id}`} className="break-words">
            {typeNames[item.type]}{' '}
            <strong className="font-medium text-ink">
              <NameText text={item.name ?? 'anybody with the link'} />
            </strong>
          </li>
        ))}
      </ul>
    </div>
  );
}
