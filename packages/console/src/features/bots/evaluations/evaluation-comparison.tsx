import type { Evaluation } from '@svc/contract/evaluations';
import type { Scenario } from '@svc/contract/scenarios';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { PageLink, useParam, useSearchState } from '../../../app/workspace.tsx';
import { exactTime } from '../../../format/time.ts';
import { Button } from '../../../kit/buttons.tsx';
import { type Column, DataTable } from '../../../kit/data-table.tsx';
import { Select } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { type ComparedCase, caseStates, changeNames, compareEvaluations } from './case-states.ts';

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
