import type { Scenario } from '@svc/contract/scenarios';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { deleteScenario } from '../../../api/evaluations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { ConfirmDialog, Dialog } from '../../../kit/dialogs.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { ScenarioFields } from './scenario-fields.tsx';
import { emptyScenario, toForm } from './scenario-form.ts';
import { useSaveScenario } from './use-save-scenario.ts';

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
