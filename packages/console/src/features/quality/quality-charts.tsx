import type { QualityReport } from '@svc/contract/console-quality';
import { shortDay } from '../../format/days.ts';
import { count } from '../../format/numbers.ts';
import { BarChart } from '../../kit/bar-chart.tsx';
import { LineChart } from '../../kit/line-chart.tsx';

/** Replies with a lower score are withheld; see docs/quality.md. */
const refusalThreshold = 0.3;

export function QualityCharts({ days }: Pick<QualityReport, 'days'>) {
  const categories = days.map(({ date }) => date);
  return (
    <div className="grid gap-8 px-4 py-4 md:px-6 lg:grid-cols-2">
      <LineChart
        label="Average score"
        categories={categories}
        nameCategory={shortDay}
        series={[{ id: 'score', name: 'Score', values: days.map((day) => day.average_score) }]}
        format={(value) => value.toFixed(2)}
        maximum={1}
        threshold={{ value: refusalThreshold, label: 'withheld below .3' }}
      />
      <BarChart
        label="Withheld, not supported and not graded"
        categories={categories}
        nameCategory={shortDay}
        series={[
          { id: 'refused', name: 'Withheld', values: days.map(({ refused }) => refused) },
          { id: 'unsupported', name: 'Not supported', values: days.map(({ unsupported }) => unsupported) },
          { id: 'ungraded', name: 'Not graded', values: days.map(({ ungraded }) => ungraded) },
        ]}
        format={count}
      />
    </div>
  );
}
