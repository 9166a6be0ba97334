import { ApiError, type ErrorDetail } from '@svc/client/api-error';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { saveScenario } from '../../../api/evaluations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { readForm, type ScenarioForm } from './scenario-form.ts';

/** Saves a form as a new scenario, or as the one with this id. */
export function useSaveScenario(botId: string, scenarioId: string | undefined, onSaved: () => void) {
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
