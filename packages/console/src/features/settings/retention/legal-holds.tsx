import type { LegalHold } from '@svc/contract/legal-holds';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { legalHoldsQuery, placeLegalHold, releaseLegalHold } from '../../../api/retention.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { TextLink, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { ConfirmDialog, FormDialog } from '../../../kit/dialogs.tsx';
import { RadioGroup, TextField } from '../../../kit/fields.tsx';
import { NameText, TimeAgo } from '../../../kit/labels.tsx';
import { LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { actorName } from '../audit/audit-texts.ts';

/** What must not be deleted, and until whoever placed it says otherwise. */
export function LegalHolds() {
  const { can } = useWorkspace();
  const holds = useRead(legalHoldsQuery);
  const [released, setReleased] = useState<LegalHold>();
  if (holds.isPending) return <RowsLoading rows={2} />;
  if (holds.isError) return <LoadError query={holds} className="" />;
  if (holds.data.length === 0)
    return <p className="text-ink-3">No hold: everything may be deleted when its time is over.</p>;
  return (
    <>
      <ul className="flex flex-col">
        {holds.data.map((hold) => (
          <li
            key={hold.id}
            className="flex flex-wrap items-start gap-x-4 gap-y-2 border-line border-b py-3 last:border-b-0"
          >
            <div className="min-w-0 flex-1 basis-56">
              <p className="font-medium [overflow-wrap:anywhere]">
                <Held hold={hold} />
              </p>
              <p className="[overflow-wrap:anywhere]">
                <NameText text={hold.reason} />
              </p>
              <p className="text-ink-3 text-sm">
                {`${actorName(hold.created_by)}, `}
                <TimeAgo at={hold.created_at} />
              </p>
            </div>
            {can('owner') && (
              <Button
                size="small"
                aria-label={`Release the hold ${hold.reason}`}
                onPress={() => setReleased(hold)}
              >
                Release
              </Button>
            )}
          </li>
        ))}
      </ul>
      {released && <ReleaseDialog hold={released} onClose={() => setReleased(undefined)} />}
    </>
  );
}

function Held({ hold }: { hold: LegalHold }) {
  const { external_user_id: person, conversation_id: conversation } = hold;
  if (person !== null)
    return (
      <>
        {'Person '}
        <TextLink path="/conversations" search={{ user: person }}>
          <NameText text={person} />
        </TextLink>
      </>
    );
  if (conversation !== null)
    return (
      <TextLink path={`/conversations/${conversation}`}>{`Conversation …${conversation.slice(-8)}`}</TextLink>
    );
  return 'The whole workspace';
}

function ReleaseDialog({ hold, onClose }: { hold: LegalHold; onClose: () => void }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();

  async function release(): Promise<void> {
    await releaseLegalHold(api, hold.id);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'legal_hold') });
    notify({ text: 'The hold was released.' });
  }

  return (
    <ConfirmDialog title="Release this hold?" action="Release" onClose={onClose} onConfirm={release}>
      <p className="[overflow-wrap:anywhere]">
        <strong className="font-semibold text-ink">
          <NameText text={hold.reason} />
        </strong>
      </p>
      <p>
        What it keeps can be deleted again: by people at once, and within the hour what is older than the
        workspace keeps it.
      </p>
    </ConfirmDialog>
  );
}

const scopes = [
  { value: 'person', label: 'A person', description: 'All their conversations, later ones too.' },
  { value: 'conversation', label: 'A conversation' },
  { value: 'workspace', label: 'The whole workspace', description: 'Nothing is deleted at all.' },
] as const;

export function PlaceHoldDialog({ onClose }: { onClose: () => void }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const [scope, setScope] = useState<(typeof scopes)[number]['value']>('person');
  const [named, setNamed] = useState('');
  const [reason, setReason] = useState('');
  const values = { external_user_id: named, conversation_id: named, reason };
  const { submit, isBusy, at, error } = useSubmit(async () => {
    const of = {
      ...(scope === 'person' && { external_user_id: named }),
      ...(scope === 'conversation' && { conversation_id: named.trim() }),
    };
    await placeLegalHold(api, { ...of, reason });
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'legal_hold') });
    notify({ text: 'The hold is in place.' });
    onClose();
  }, values);

  return (
    <FormDialog
      title="New legal hold"
      action="Place hold"
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <RadioGroup
        label="Keep"
        options={scopes}
        value={scope}
        onChange={(next) => {
          setScope(next);
          setNamed('');
        }}
      />
      {scope !== 'workspace' && (
        <TextField
          label={scope === 'person' ? 'Id of the person' : 'Id of the conversation'}
          description={
            scope === 'person'
              ? 'As your integration names them: the conversation shows it below its title.'
              : 'The last part of its address.'
          }
          isRequired
          value={named}
          onChange={setNamed}
          error={at(scope === 'person' ? 'external_user_id' : 'conversation_id')}
        />
      )}
      <TextField
        label="Reason"
        description="Such as the number of a case. The audit log keeps it, so name no end user here."
        isRequired
        value={reason}
        onChange={setReason}
        error={at('reason')}
      />
    </FormDialog>
  );
}
