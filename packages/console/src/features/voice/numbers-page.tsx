import { ApiError } from '@svc/client/api-error';
import type { VoiceNumber } from '@svc/contract/voice-numbers';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Phone, Plus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/client.ts';
import { deleteNumber, numbersQuery, updateNumber, voiceQuery } from '../../api/voice.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { EmptyState, InlineError, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { NumberDialog } from './number-dialog.tsx';
import { NumberTable } from './number-table.tsx';
import { DialRules, TwilioWebhooks, VoiceNotice } from './voice-notice.tsx';
import { VoicePage } from './voice-page.tsx';

type Task = { kind: 'add' } | { kind: 'edit' | 'delete'; number: VoiceNumber };

/** Which bot answers which number, and which number it calls from. */
export function NumbersPage() {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const numbers = useQuery(numbersQuery(api));
  const { data: voice } = useQuery(voiceQuery(api));
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const refresh = () => client.invalidateQueries({ queryKey: keys.lists(api, 'number') });
  const choosing = useMutation({
    mutationFn: (number: VoiceNumber) => updateNumber(api, number.id, { is_outbound_primary: true }),
    onSuccess: refresh,
  });
  const add = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setTask({ kind: 'add' })}>
      Add a number
    </Button>
  );
  return (
    <VoicePage tab="numbers" actions={can('operator') && numbers.data && numbers.data.length > 0 && add}>
      <VoiceNotice isFolded={numbers.data !== undefined && numbers.data.length > 0} />
      {voice?.webhooks && <TwilioWebhooks webhooks={voice.webhooks} />}
      {voice && voice.transport !== null && <DialRules dialing={voice.dialing} />}
      {choosing.error && (
        <div className="px-4 py-3 md:px-6">
          <InlineError error={explain(choosing.error, choosing.variables)} />
        </div>
      )}
      {numbers.isPending && <RowsLoading rows={3} />}
      {numbers.isError && <LoadError query={numbers} />}
      {numbers.data?.length === 0 && (
        <EmptyState
          icon={<Phone aria-hidden />}
          title="No number leads to a bot yet"
          action={can('operator') && add}
        >
          Add a number of your telephone account and choose who answers it: callers of +1 202 555 0100 then
          talk to “Support”. The same number can show when the bot calls somebody.
        </EmptyState>
      )}
      {numbers.data && (
        <NumberTable
          numbers={numbers.data}
          onEdit={(number) => setTask({ kind: 'edit', number })}
          onDelete={(number) => setTask({ kind: 'delete', number })}
          onChoose={(number) => choosing.mutate(number)}
        />
      )}
      {task?.kind === 'add' && <NumberDialog voice={voice} onClose={close} />}
      {task?.kind === 'edit' && <NumberDialog saved={task.number} voice={voice} onClose={close} />}
      {task?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete ${task.number.phone_number}?`}
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await deleteNumber(api, task.number.id);
            await refresh();
          }}
        >
          <p>
            {task.number.bot_name} no longer answers it
            {task.number.is_outbound_primary && ', and cannot place calls until it has another number'}. Calls
            under way continue, and past calls stay. The number itself stays in your telephone account.
          </p>
        </ConfirmDialog>
      )}
    </VoicePage>
  );
}

/** A number that cannot place calls needs more than the service's sentence. */
function explain(error: unknown, number: VoiceNumber | undefined): unknown {
  if (!(error instanceof ApiError) || error.status !== 422 || !number) return error;
  return `${number.phone_number} cannot place calls, so it cannot be the number that ${number.bot_name} calls from. At Twilio, the number must belong to the account and allow voice calls. On a SIP trunk, delete it and add it again with “Can place calls”.`;
}
