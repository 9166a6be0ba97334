import type {
  Evaluation,
  EvaluationCreate,
  EvaluationDetail,
  StartedEvaluation,
} from '@svc/contract/evaluations';
import type { Scenario, ScenarioCreate, ScenarioDraft } from '@svc/contract/scenarios';
import { queryOptions } from '@tanstack/react-query';
import { type Api, keys, readQuery } from './client.ts';

export const scenariosQuery = (api: Api, botId: string) =>
  readQuery<Scenario[]>(api, keys.list(api, 'scenario', { bot: botId }), `/api/v1/bots/${botId}/scenarios`);

/** The newest ones, which the grid shows. */
export const evaluationsQuery = (api: Api, botId: string) =>
  readQuery<Evaluation[]>(
    api,
    keys.list(api, 'evaluation', { bot: botId }),
    `/api/v1/bots/${botId}/evaluations`,
    { limit: 20 },
  );

export const evaluationQuery = (api: Api, botId: string, evaluationId: string) =>
  readQuery<EvaluationDetail>(
    api,
    keys.one(api, 'evaluation', evaluationId),
    `/api/v1/bots/${botId}/evaluations/${evaluationId}`,
  );

/** A scenario made of a conversation. Nothing is stored, so reading it is enough of a reason to send it. */
export const scenarioDraftQuery = (api: Api, conversationId: string) =>
  queryOptions({
    queryKey: [api.workspaceId, 'scenario-draft', conversationId],
    queryFn: async ({ signal }) => {
      const path = `/api/console/conversations/${conversationId}/scenario`;
      return (await (await api.send('POST', path, { signal })).json()) as ScenarioDraft;
    },
    gcTime: 0,
  });

export const startEvaluation = (api: Api, botId: string, body: NonNullable<EvaluationCreate>) =>
  api.post<StartedEvaluation>(`/api/v1/bots/${botId}/evaluations`, body);

export const stopEvaluation = (api: Api, botId: string, evaluationId: string) =>
  api.post<StartedEvaluation>(`/api/v1/bots/${botId}/evaluations/${evaluationId}/stop`);

/** Creates a scenario, or changes the one with this id. */
export async function saveScenario(
  api: Api,
  { botId, scenarioId, body }: { botId: string; scenarioId?: string | undefined; body: ScenarioCreate },
): Promise<void> {
  const path = `/api/v1/bots/${botId}/scenarios`;
  await (scenarioId === undefined ? api.post(path, body) : api.put(`${path}/${scenarioId}`, body));
}

export async function deleteScenario(api: Api, botId: string, scenarioId: string): Promise<void> {
  await api.delete(`/api/v1/bots/${botId}/scenarios/${scenarioId}`);
}
