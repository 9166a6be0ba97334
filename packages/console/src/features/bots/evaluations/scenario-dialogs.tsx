import { ApiError, type ErrorDetail } from '@svc/client/api-error';
import type { Scenario, ScenarioDraft } from '@svc/contract/scenarios';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { deleteScenario, saveScenario, scenarioDraftQuery } from '../../../api/evaluations.ts';
import { useGo, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { ConfirmDialog, Dialog } from '../../../kit/dialogs.tsx';
import { Bar, InlineError, Loading } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { ScenarioFields } from './scenario-fields.tsx';
import { emptyScenario, readForm, type ScenarioForm, toForm } from './scenario-form.ts';

/** Saves a conversation as a scenario of its bot, filled in with what really happened. */
export function SaveAsScenario({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const draft = useRead(scenarioDraftQuery, conversationId);
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

interface ScenarioDialogProps {
  botId: string;
  /** Undefined: a new one. */
  scenario: Scenario | undefined;
  onClose: () => void;
}

/** Edits a scenario. */
export function ScenarioDialog({ botId, scenario, onClose }: ScenarioDialogProps) {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const canEdit = can('operator');
  const [form, setForm] = useState(() => toForm(scenario ?? emptyScenario));
  const [isDeleting, setDeleting] = useState(false);
  const saving = useSaveScenario(botId, scenario?.id, onClose);
  if (scenario && isDeleting) {
    return (
      <ConfirmDialog
        title={`Delete “${scenario.name}”?`}
        action="Delete"
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await deleteScenario(api, botId, scenario.id);
          await client.invalidateQueries({ queryKey: keys.all(api, 'scenario') });
          onClose();
        }}
      >
        It is no longer evaluated. Its results in earlier evaluations stay.
      </ConfirmDialog>
    );
  }
  return (
    <Dialog
      title={scenario?.name ?? 'New scenario'}
      onClose={onClose}
      size="large"
      actions={
        canEdit && (
          <>
            {scenario && (
              <Button look="quiet" className="mr-auto text-danger-ink" onPress={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" isBusy={saving.isSaving} onPress={() => saving.save(form)}>
              Save scenario
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <ScenarioFields form={form} onChange={setForm} details={saving.details} isReadOnly={!canEdit} />
        {saving.error && <InlineError error={saving.error} />}
      </div>
    </Dialog>
  );
}

/** Saves a form as a new scenario, or as the one with this id. */
function useSaveScenario(botId: string, scenarioId: string | undefined, onSaved: () => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [ownDetails, setOwnDetails] = useState<ErrorDetail[]>([]);
  const saving = useMutation({
    mutationFn: (body: ReturnType<typeof readForm>['body']) => saveScenario(api, { botId, scenarioId, body }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: keys.all(api, 'scenario') });
      onSaved();
    },
  });
  const sentDetails = saving.error instanceof ApiError ? saving.error.details : [];
  return {
    save(form: ScenarioForm): void {
      const { body, details } = readForm(form);
      setOwnDetails(details);
      saving.reset();
      if (details.length === 0) saving.mutate(body);
    },
    isSaving: saving.isPending,
    error: saving.error,
    details: ownDetails.length > 0 ? ownDetails : sentDetails,
  };
}
