import type { ChartProps } from './chart-math.ts';

/** The numbers of a chart. */
export function ChartTable({ label, categories, series, format, nameCategory }: Required<ChartProps>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={`${label}, as a table`} tabIndex={0} className="max-h-72 overflow-auto">
      <table className="w-full border-collapse text-sm">
        <thead className="sticky top-0 bg-sunken text-left text-ink-2">
          <tr>
            <th scope="col" className="px-2 py-1 font-medium">
              Day (UTC)
            </th>
            {series.map(({ id, name }) => (
              <th key={id} scope="col" className="px-2 py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories.map((category, index) => (
            <tr key={category} className="border-line border-b">
              <th scope="row" className="px-2 py-1 text-left font-normal">
                {nameCategory(category)}
              </th>
              {series.map(({ id, values }) => {
                const value = values[index];
                return (
                  <td key={id} className="px-2 py-1 text-right tabular-nums">
                    {value === null || value === undefined ? '–' : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
