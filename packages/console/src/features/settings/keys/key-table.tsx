import type { AccountKey } from '@svc/contract/keys';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { accountKeysQuery, membersQuery, revokeKey } from '../../../api/members.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { describeAbilities } from './ability-groups.ts';
import { keyState } from './key-state.ts';

export function KeyTable({ accountKeys }: { accountKeys: readonly AccountKey[] }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const { data: members = [] } = useQuery(membersQuery(api));
  const { data: all = [] } = useQuery(accountKeysQuery(api));
  const [revoked, setRevoked] = useState<AccountKey>();
  /** Keys are created by members, by other keys, or on the server. */
  const authorOf = (id: string | null) =>
    [...members, ...all].find((one) => one.id === id)?.name ??
    (id === null ? 'the server' : 'a former member');

  async function revoke({ id }: AccountKey): Promise<void> {
    await revokeKey(api, id);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'key') });
  }

  return (
    <>
      <DataTable
        label="Account keys"
        isLinked={false}
        rows={accountKeys}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            className: 'max-w-0 w-2/5',
            cell: (key) => (
              <div className="min-w-0">
                <p
                  className="truncate font-medium max-md:whitespace-normal max-md:break-words"
                  title={key.name}
                >
                  {key.name}
                </p>
                <p className="truncate text-ink-3 max-md:whitespace-normal">
                  <span className="font-mono">{`…${key.hint}`}</span>
                  {` by ${authorOf(key.created_by)}, `}
                  <TimeAgo at={key.created_at} />
                </p>
              </div>
            ),
          },
          {
            title: 'May do',
            isSecondary: true,
            className: 'max-w-0 w-1/4',
            cell: (key) => (
              <p className="truncate" title={key.abilities.join(', ')}>
                {describeAbilities(key.abilities)}
              </p>
            ),
          },
          {
            title: 'Last used',
            cell: (key) => (key.last_used_at ? <TimeAgo at={key.last_used_at} /> : 'never'),
          },
          {
            title: 'Expires',
            isSecondary: true,
            cell: (key) => (key.expires_at ? <TimeAgo at={key.expires_at} /> : 'never'),
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            className: 'w-12 text-right',
            cell: (key) => {
              const state = keyState(key);
              if (state !== 'active') return <StateBadge state="idle" text={state} />;
              return (
                <Button size="small" aria-label={`Revoke ${key.name}`} onPress={() => setRevoked(key)}>
                  Revoke
                </Button>
              );
            },
          },
        ]}
      />
      {revoked && (
        <ConfirmDialog
          title={`Revoke the key ${revoked.name}?`}
          action="Revoke"
          onClose={() => setRevoked(undefined)}
          onConfirm={() => revoke(revoked)}
        >
          <p>
            {revoked.last_used_at ? (
              <>
                Programs that use it stop working immediately. It was last used{' '}
                <TimeAgo at={revoked.last_used_at} />.
              </>
            ) : (
              'It was never used. It cannot be made to work again.'
            )}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
