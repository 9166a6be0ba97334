import type { AxeResults, Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds in the widget. */
export async function findViolations(page: Page, options: RunOptions): Promise<string[]> {
  const results = await page.evaluate(async (chosen) => {
    const { axe } = window as unknown as {
      axe: { run(context: string, options: RunOptions): Promise<AxeResults> };
    };
    return axe.run('svc-widget', {
      ...chosen,
      resultTypes: ['violations', 'incomplete'],
      preload: { assets: ['media'] },
    });
  }, options);
  const describeNodes = ({ id, nodes }: Result) =>
    nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary}`);
  // What axe cannot judge counts too, except for single characters, empty fields and what lies under something else.
  const unclear = results.incomplete
    .flatMap(describeNodes)
    .filter((text) => !/too short to determine|has no value|overlapped|obscured/.test(text));
  return [...results.violations.flatMap(describeNodes), ...unclear];
}
