import { ApiError } from '@svc/client/api-error';
import type { CaseReason, Evaluation, EvaluationCase } from '@svc/contract/evaluations';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical, GitCompare, Plus, Square } from 'lucide-react';
import { useState } from 'react';
import { botVersionsQuery } from '../../../api/bots.ts';
import { keys } from '../../../api/client.ts';
import {
  evaluationQuery,
  evaluationsQuery,
  scenariosQuery,
  startEvaluation,
  stopEvaluation,
} from '../../../api/evaluations.ts';
import { TextLink, useParam, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Cost } from '../../../kit/cost.tsx';
import { Dialog } from '../../../kit/dialogs.tsx';
import { Select } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { BarLoading, EmptyState, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { RestoreError } from '../versions/restore.tsx';
import { caseStates, progressOf } from './case-states.ts';
import { EvaluationComparison, EvaluationGrid } from './evaluation-grid.tsx';
import { SaveAsScenario, ScenarioDialog } from './scenario-dialogs.tsx';

/** The scenarios and evaluations of the bot of this page. */
export function EvaluationsTab() {
  const { can } = useWorkspace();
  const botId = useParam('bot');
  const [search, setSearch] = useSearchState();
  const scenarios = useRead(scenariosQuery, botId);
  const evaluations = useRead(evaluationsQuery, botId);
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

const live = 'live';

/** Starts an evaluation, or shows how far the one in progress is. */
function StartEvaluation({ botId, evaluations }: { botId: string; evaluations: readonly Evaluation[] }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [version, setVersion] = useState(live);
  const versions = useInfiniteQuery(botVersionsQuery(api, botId));
  const numbers = versions.data?.pages[0]?.items.map(({ number }) => number) ?? [];
  const running = evaluations.find(({ status }) => status === 'running');
  const onSettled = () => client.invalidateQueries({ queryKey: keys.all(api, 'evaluation') });
  const start = useMutation({
    mutationFn: () => startEvaluation(api, botId, version === live ? {} : { version: Number(version) }),
    onSettled,
  });
  const stop = useMutation({ mutationFn: (id: string) => stopEvaluation(api, botId, id), onSettled });
  const error = start.error ?? stop.error;
  return (
    <>
      {running ? (
        <>
          <span className="flex h-8 min-w-48 flex-1 items-center gap-3 sm:ml-auto sm:flex-none">
            <progress
              aria-label="Evaluation"
              max={running.counts.total}
              value={running.counts.total - running.counts.pending}
              className="h-1.5 w-24 flex-1 accent-accent"
            />
            <span role="status" className="whitespace-nowrap text-ink-2 text-sm">
              {progressOf(running)} of version {running.version}
            </span>
          </span>
          <Button
            icon={<Square aria-hidden />}
            isBusy={stop.isPending}
            onPress={() => stop.mutate(running.id)}
          >
            Stop
          </Button>
        </>
      ) : (
        <>
          <Select
            label="Version to evaluate"
            hideLabel
            className="w-40 sm:ml-auto"
            options={[
              { value: live, label: `Live version${numbers[0] ? ` (${numbers[0]})` : ''}` },
              ...numbers.slice(1).map((number) => ({ value: String(number), label: `Version ${number}` })),
            ]}
            value={version}
            onChange={setVersion}
          />
          <Button
            look="primary"
            icon={<FlaskConical aria-hidden />}
            isBusy={start.isPending}
            onPress={() => start.mutate()}
          >
            Evaluate
          </Button>
        </>
      )}
      {error && (
        <div className="basis-full">
          <StartError error={error} />
        </div>
      )}
    </>
  );
}

function StartError({ error }: { error: unknown }) {
  const isUnjudged = error instanceof ApiError && error.code === 'NO_MODEL_CONFIGURED';
  return (
    <div className="flex flex-col gap-1">
      {isUnjudged ? <InlineError error={error} /> : <RestoreError error={error} />}
      {isUnjudged && (
        <p className="text-ink-2 text-sm">
          Expected facts are judged by a model. Set <code>OPENAI_API_KEY</code> or the key of another provider
          and choose one of its models, or evaluate scenarios that only expect calls.
        </p>
      )}
    </div>
  );
}

interface CaseDialogProps {
  botId: string;
  evaluationId: string;
  scenarioId: string;
  onClose: () => void;
}

/** One scenario in one evaluation: whether it passed, why not, and what was said. */
function CaseDialog({ botId, evaluationId, scenarioId, onClose }: CaseDialogProps) {
  const evaluation = useRead(evaluationQuery, botId, evaluationId);
  const found = evaluation.data?.cases.find((one) => one.scenario_id === scenarioId);
  const version = evaluation.data && ` in version ${evaluation.data.version}`;
  return (
    <Dialog title={`${found?.name ?? 'Scenario'}${version ?? ''}`} onClose={onClose} size="large">
      {evaluation.isPending && <BarLoading className="h-40" label="Reading the evaluation" />}
      {evaluation.isError && (
        <InlineError error={evaluation.error} onRetry={() => void evaluation.refetch()} />
      )}
      {evaluation.data && !found && <p>This evaluation has no such scenario.</p>}
      {found && <CaseDetail one={found} />}
    </Dialog>
  );
}

function CaseDetail({ one }: { one: EvaluationCase }) {
  const { state, text } = caseStates[one.status];
  const others = one.reasons.filter(({ kind }) => kind !== 'fact_missing');
  return (
    <div className="flex flex-col gap-5">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <StateBadge state={state} text={text} isFilled />
        {one.previous && (
          <span className="text-ink-2 text-sm">
            before, in version {one.previous.version}: {caseStates[one.previous.status].text.toLowerCase()}
          </span>
        )}
        <span className="text-ink-2 text-sm">
          <Cost {...one} />
        </span>
        {one.conversation_id && (
          <TextLink path={`/conversations/${one.conversation_id}`} className="text-sm underline-offset-2">
            Open the conversation
          </TextLink>
        )}
      </p>
      {others.length > 0 && (
        <ul aria-label="Why it did not pass" className="flex flex-col gap-1.5">
          {others.map((reason) => (
            <li key={`${reason.kind} ${reason.function ?? reason.message}`}>
              <StateBadge state="danger" text={reasonText(reason)} />
              {reason.kind === 'error' && <span className="block pl-5 text-ink-2">{reason.message}</span>}
            </li>
          ))}
        </ul>
      )}
      {one.facts.length > 0 && (
        <section aria-label="Facts" className="flex flex-col gap-2">
          <h3 className="font-semibold">Facts</h3>
          {one.facts.map((fact) => (
            <div key={fact.fact} className="border-line border-t pt-2">
              <p className="flex flex-wrap justify-between gap-x-3">
                <span>{fact.fact}</span>
                <StateBadge
                  state={fact.holds ? 'success' : 'danger'}
                  text={fact.holds ? 'Holds' : 'Does not hold'}
                />
              </p>
              <p className="text-ink-2 text-sm">{fact.explanation}</p>
            </div>
          ))}
        </section>
      )}
      <section aria-label="What was said" className="flex flex-col gap-2">
        <h3 className="font-semibold">What was said</h3>
        {one.transcript.length === 0 && <p className="text-ink-2">Nothing yet.</p>}
        {one.transcript.map((message) => (
          <p key={message.id} className="border-line border-t pt-2">
            <span className="block text-ink-3 text-xs">{speakers[message.role]}</span>
            <span dir="auto" className="whitespace-pre-wrap break-words">
              {message.content || message.tool_calls.map(({ name }) => `Calls ${name}`).join(', ')}
            </span>
          </p>
        ))}
      </section>
    </div>
  );
}

const speakers = { user: 'User', assistant: 'Bot', tool: 'Stand-in', operator: 'Team' };

function reasonText({ kind, function: name = 'A function', code = '' }: CaseReason): string {
  if (kind === 'not_called') return `${name} was not called`;
  return kind === 'called' ? `${name} was called` : `It could not be decided (${code})`;
}
