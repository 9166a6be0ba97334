import type { Comparison, Result } from './compare.ts';
import { showGoal } from './goal.ts';

const header = ['', 'baseline', 'ours', 'ratio', 'goal'];

/** Aligned text; ratio says how many times worse we are than the baseline. */
export function renderTable({ title, results }: Comparison): string {
  const rows = [header, ...results.map((result) => toCells(result))];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ')
      .trimEnd(),
  );
  return [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

function toCells(result: Result): string[] {
  const { label, digits, baseline, ours, ratio } = result;
  const show = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return [
    label,
    baseline === undefined ? '' : show(baseline),
    show(ours),
    ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
    showGoal(result),
  ];
}
