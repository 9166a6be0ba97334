import { useQuery } from '@tanstack/react-query';
import { FlaskConical, GitCompare, Plus } from 'lucide-react';
import { evaluationsQuery, scenariosQuery } from '../../../api/evaluations.ts';
import { useParam, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { EmptyState, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { CaseDialog } from './case-dialog.tsx';
import { EvaluationComparison } from './evaluation-comparison.tsx';
import { EvaluationGrid } from './evaluation-grid.tsx';
import { SaveAsScenario } from './save-as-scenario.tsx';
import { ScenarioDialog } from './scenario-dialog.tsx';
import { StartEvaluation } from './start-evaluation.tsx';

/** The scenarios and evaluations of the bot of this page. */
export function EvaluationsTab() {
  const { api, can } = useWorkspace();
  const botId = useParam('bot');
  const [search, setSearch] = useSearchState();
  const scenarios = useQuery(scenariosQuery(api, botId));
  const evaluations = useQuery(evaluationsQuery(api, botId));
  const error = scenarios.error ?? evaluations.error;
  if (error) {
    return (
      <div className="p-4 md:px-6">
        <InlineError
          error={error}
          onRetry={() => void Promise.all([scenarios.refetch(), evaluations.refetch()])}
        />
      </div>
    );
  }
  if (!scenarios.data || !evaluations.data) return <RowsLoading />;
  const canEdit = can('operator');
  const { scenario: scenarioId, evaluation: evaluationId, conversation, compare } = search;
  const [before, after] = compare?.split('..') ?? [];
  const newScenario = () => setSearch({ scenario: 'new' });
  const closeAll = () => setSearch({ scenario: undefined, evaluation: undefined, conversation: undefined });
  return (
    <div className="flex flex-col">
      {scenarios.data.length === 0 && evaluations.data.length === 0 ? (
        <NoScenarios {...(canEdit && { onNew: newScenario })} />
      ) : (
        <>
          <div className="flex flex-wrap items-start gap-2 px-4 py-3 md:px-6">
            {evaluations.data.length > 1 && (
              <Button
                icon={<GitCompare aria-hidden />}
                onPress={() =>
                  setSearch(
                    { compare: `${evaluations.data[1]?.id}..${evaluations.data[0]?.id}` },
                    { push: true },
                  )
                }
              >
                Compare
              </Button>
            )}
            {canEdit && (
              <Button icon={<Plus aria-hidden />} onPress={newScenario}>
                New scenario
              </Button>
            )}
            {canEdit && <StartEvaluation botId={botId} evaluations={evaluations.data} />}
          </div>
          {before && after ? (
            <EvaluationComparison
              evaluations={evaluations.data}
              scenarios={scenarios.data}
              before={before}
              after={after}
            />
          ) : (
            <EvaluationGrid
              scenarios={scenarios.data}
              evaluations={evaluations.data}
              selectedId={evaluationId}
            />
          )}
        </>
      )}
      {scenarioId !== undefined && evaluationId !== undefined && (
        <CaseDialog botId={botId} evaluationId={evaluationId} scenarioId={scenarioId} onClose={closeAll} />
      )}
      {conversation !== undefined && scenarioId === 'new' && (
        <SaveAsScenario conversationId={conversation} onClose={closeAll} />
      )}
      {scenarioId !== undefined && evaluationId === undefined && conversation === undefined && (
        <ScenarioDialog
          key={scenarioId}
          botId={botId}
          scenario={scenarios.data.find(({ id }) => id === scenarioId)}
          onClose={closeAll}
        />
      )}
    </div>
  );
}

function NoScenarios({ onNew }: { onNew?: () => void }) {
  return (
    <EmptyState
      icon={<FlaskConical aria-hidden />}
      title="No scenarios yet"
      action={
        onNew && (
          <Button look="primary" icon={<Plus aria-hidden />} onPress={onNew}>
            New scenario
          </Button>
        )
      }
    >
      A scenario is what a user writes and what must be true of the answers: “Where is order 4711?” – “It is
      in Cologne.” Evaluate them before and after a change. Any conversation can be saved as one.
    </EmptyState>
  );
}
