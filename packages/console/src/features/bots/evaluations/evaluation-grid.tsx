import type { Evaluation } from '@svc/contract/evaluations';
import type { Scenario } from '@svc/contract/scenarios';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { LightPageLink, PageLink, useParam, useSearchState } from '../../../app/workspace.tsx';
import { exactTime } from '../../../format/time.ts';
import { Button } from '../../../kit/buttons.tsx';
import { Cost } from '../../../kit/cost.tsx';
import { type Column, DataTable } from '../../../kit/data-table.tsx';
import { Select } from '../../../kit/fields.tsx';
import { StateBadge, StateIcon, TimeAgo } from '../../../kit/labels.tsx';
import {
  type ComparedCase,
  caseStates,
  changeNames,
  compareEvaluations,
  evaluationStates,
  progressOf,
  statusIn,
} from './case-states.ts';

/** Columns that are shown until somebody wants to see the older ones. */
const firstColumns = 8;

interface EvaluationGridProps {
  scenarios: readonly Scenario[];
  evaluations: readonly Evaluation[];
  /** The evaluation that the address names. */
  selectedId: string | undefined;
}

/** Every scenario in the last evaluations, the newest first. */
export function EvaluationGrid({ scenarios, evaluations, selectedId }: EvaluationGridProps) {
  const path = `/bots/${useParam('bot')}/evaluations`;
  const [areAllShown, setAllShown] = useState(
    () => evaluations.findIndex(({ id }) => id === selectedId) >= firstColumns,
  );
  const shown = evaluations.slice(0, areAllShown ? evaluations.length : firstColumns);
  const older = evaluations.length - shown.length;
  return (
    <div className="overflow-x-auto">
      <table className="min-w-full border-collapse text-sm">
        <caption className="sr-only">Scenarios and their results in the last evaluations</caption>
        <thead className="bg-sunken text-left text-ink-2">
          <tr>
            <th scope="col" className="sticky left-0 z-10 bg-sunken px-4 py-2 font-medium md:px-6">
              Scenario
            </th>
            {shown.map((evaluation) => (
              <th
                key={evaluation.id}
                scope="col"
                aria-current={evaluation.id === selectedId ? 'true' : undefined}
                className="min-w-32 px-3 py-2 align-top font-medium aria-current:bg-selected"
              >
                <EvaluationHead evaluation={evaluation} />
              </th>
            ))}
            {older > 0 && (
              <td className="px-3 py-2 align-top">
                <Button size="small" className="whitespace-nowrap" onPress={() => setAllShown(true)}>
                  Show {older} older
                </Button>
              </td>
            )}
          </tr>
        </thead>
        <tbody>
          {scenarios.map((scenario) => (
            <tr key={scenario.id} className="border-line border-b">
              <th
                scope="row"
                className="sticky left-0 z-10 h-9 w-80 min-w-44 max-w-80 bg-canvas px-4 text-left font-medium md:px-6"
              >
                <PageLink
                  path={path}
                  search={{ scenario: scenario.id }}
                  className="line-clamp-2 hover:underline"
                >
                  {scenario.name}
                </PageLink>
              </th>
              {shown.map((evaluation) => (
                <td key={evaluation.id} className="px-3">
                  <Case path={path} evaluation={evaluation} scenario={scenario} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && (
        <p className="px-4 py-4 text-ink-2 md:px-6">
          Nothing has been evaluated yet. Evaluate once before you change the bot: then you see what the
          change did.
        </p>
      )}
    </div>
  );
}

function EvaluationHead({ evaluation }: { evaluation: Evaluation }) {
  const { state, text } = evaluationStates[evaluation.status];
  const { counts, status } = evaluation;
  return (
    <span className="flex flex-col">
      <span className="text-ink">Version {evaluation.version}</span>
      <TimeAgo at={evaluation.created_at} className="font-normal text-xs" />
      {status === 'completed' ? (
        <span className="font-normal text-xs">
          {counts.passed} of {counts.total} passed, <Cost {...evaluation} />
        </span>
      ) : (
        <span className="font-normal">
          <StateBadge state={state} text={status === 'running' ? progressOf(evaluation) : text} />
        </span>
      )}
      {evaluation.error && (
        <span className="max-w-48 font-normal text-danger-ink text-xs">{evaluation.error.message}</span>
      )}
    </span>
  );
}

function Case({ path, evaluation, scenario }: { path: string; evaluation: Evaluation; scenario: Scenario }) {
  const status = statusIn(evaluation, scenario.id);
  if (!status) {
    return (
      <span className="text-ink-3">
        <span aria-hidden>–</span>
        <span className="sr-only">Not part of it</span>
      </span>
    );
  }
  const { state, text } = caseStates[status];
  return (
    <LightPageLink
      path={path}
      search={{ evaluation: evaluation.id, scenario: scenario.id }}
      aria-label={`${scenario.name} in version ${evaluation.version}: ${text}`}
      className="flex h-9 items-center gap-1 hover:underline pointer-coarse:h-11"
    >
      <StateIcon state={state} />
      {text}
    </LightPageLink>
  );
}

interface EvaluationComparisonProps {
  evaluations: readonly Evaluation[];
  scenarios: readonly Scenario[];
  /** Ids of evaluations. */
  before: string;
  after: string;
}

/** What changed between two evaluations, what got worse first. */
export function EvaluationComparison({ evaluations, scenarios, before, after }: EvaluationComparisonProps) {
  const path = `/bots/${useParam('bot')}/evaluations`;
  const [, setSearch] = useSearchState();
  const [one, other] = [before, after].map((id) => evaluations.find((evaluation) => evaluation.id === id));
  const options = evaluations.map((evaluation) => ({
    value: evaluation.id,
    label: `Version ${evaluation.version}, ${exactTime(new Date(evaluation.created_at))}`,
  }));
  const nameOf = (id: string) => scenarios.find((scenario) => scenario.id === id)?.name ?? 'Deleted scenario';
  const columns: Column<ComparedCase>[] = [
    {
      title: 'Scenario',
      cell: ({ scenarioId }) => (
        <PageLink
          path={path}
          search={{ evaluation: after, scenario: scenarioId, compare: `${before}..${after}` }}
          className="font-medium hover:underline"
        >
          {nameOf(scenarioId)}
        </PageLink>
      ),
    },
    {
      title: 'Change',
      cell: ({ change }) => <StateBadge {...changeNames[change]} />,
    },
    {
      title: 'Before',
      isSecondary: true,
      cell: (compared) => <Status status={compared.before} />,
    },
    {
      title: 'After',
      isSecondary: true,
      cell: (compared) => <Status status={compared.after} />,
    },
  ];
  return (
    <section aria-label="Comparison of two evaluations" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 px-4 md:px-6">
        <Button icon={<ArrowLeft aria-hidden />} onPress={() => setSearch({ compare: undefined })}>
          All evaluations
        </Button>
        <Select
          label="Before"
          hideLabel
          className="w-64"
          options={options}
          value={before}
          onChange={(id) => setSearch({ compare: `${id}..${after}` })}
        />
        <ArrowRight aria-hidden className="size-4 text-ink-3" />
        <Select
          label="After"
          hideLabel
          className="w-64"
          options={options}
          value={after}
          onChange={(id) => setSearch({ compare: `${before}..${id}` })}
        />
      </div>
      {one && other ? (
        <DataTable
          label="Scenarios"
          columns={columns}
          rows={compareEvaluations(one, other)}
          keyOf={({ scenarioId }) => scenarioId}
        />
      ) : (
        <p className="px-4 text-ink-2 md:px-6">One of these evaluations is not among the last twenty.</p>
      )}
    </section>
  );
}

function Status({ status }: { status: ComparedCase['before'] }) {
  return status ? <StateBadge {...caseStates[status]} /> : <span className="text-ink-3">–</span>;
}
