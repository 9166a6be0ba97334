import type { ScenarioDraft } from '@svc/contract/scenarios';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scenarioDraftQuery } from '../../../api/evaluations.ts';
import { useGo, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Dialog } from '../../../kit/dialogs.tsx';
import { Bar, InlineError, Loading } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { ScenarioFields } from './scenario-fields.tsx';
import { toForm } from './scenario-form.ts';
import { useSaveScenario } from './use-save-scenario.ts';

/** Saves a conversation as a scenario of its bot, filled in with what really happened. */
export function SaveAsScenario({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const { api } = useWorkspace();
  const draft = useQuery(scenarioDraftQuery(api, conversationId));
  if (draft.data) return <DraftDialog draft={draft.data} onClose={onClose} />;
  return (
    <Dialog title="Save as scenario" onClose={onClose} size="large">
      {draft.isError ? (
        <InlineError error={draft.error} onRetry={() => void draft.refetch()} />
      ) : (
        <Loading label="Reading the conversation">
          <div className="flex flex-col gap-3">
            <Bar className="h-8" />
            <Bar className="h-24" />
            <Bar className="h-24" />
          </div>
        </Loading>
      )}
    </Dialog>
  );
}

function DraftDialog({ draft, onClose }: { draft: ScenarioDraft; onClose: () => void }) {
  const go = useGo();
  const [form, setForm] = useState(() => toForm(draft.scenario));
  const saving = useSaveScenario(draft.bot_id, undefined, () => {
    const open = { label: 'Open scenarios', run: () => go(`/bots/${draft.bot_id}/evaluations`) };
    notify({ text: 'The scenario was saved.', action: open });
    onClose();
  });
  return (
    <Dialog
      title="Save as scenario"
      onClose={onClose}
      size="large"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" isBusy={saving.isSaving} onPress={() => saving.save(form)}>
            Save scenario
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">
          The messages and what the calls returned are those of the conversation. Say what must be true of the
          answers, then save it.
        </p>
        {draft.notes.map((note) => (
          <p key={note} className="text-sm text-warning-ink">
            {note}
          </p>
        ))}
        <ScenarioFields form={form} onChange={setForm} details={saving.details} answers={draft.answers} />
        {saving.error && <InlineError error={saving.error} />}
      </div>
    </Dialog>
  );
}
