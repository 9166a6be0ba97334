import type { AccountKey } from '@svc/contract/keys';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { accountKeysQuery } from '../../../api/members.ts';
import { useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Checkbox } from '../../../kit/fields.tsx';
import { EmptyState, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { keyState } from './key-state.ts';
import { KeyTable } from './key-table.tsx';

/** The account keys of the workspace. Only owners get here, so nothing is read for others. */
export function KeysPage() {
  const { can } = useWorkspace();
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
      New key
    </Button>
  );
  return (
    <SettingsPage tab="keys" actions={create}>
      {can('owner') && <Keys create={create} />}
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </SettingsPage>
  );
}

function Keys({ create }: { create: React.ReactNode }) {
  const { api } = useWorkspace();
  const [{ all }, setSearch] = useSearchState();
  const { data, isPending, error, refetch } = useQuery(accountKeysQuery(api));
  if (isPending) return <RowsLoading rows={4} />;
  if (error) {
    return (
      <div className="p-4 md:px-6">
        <InlineError error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  const active = data.filter((key) => keyState(key) === 'active');
  const shown: AccountKey[] = (all === '1' ? data : active).toReversed();
  const hidden = data.length - active.length;
  return (
    <>
      {shown.length > 0 ? (
        <KeyTable accountKeys={shown} />
      ) : (
        <EmptyState icon={<KeyRound aria-hidden />} title="No key works for this workspace" action={create}>
          Programs use a key to call the API, such as your shop that sends a customer's message to a bot.
        </EmptyState>
      )}
      {hidden > 0 && (
        <div className="px-4 py-3 md:px-6">
          <Checkbox isSelected={all === '1'} onChange={(isOn) => setSearch({ all: isOn ? '1' : undefined })}>
            {`Show ${hidden} revoked or expired`}
          </Checkbox>
        </div>
      )}
    </>
  );
}
