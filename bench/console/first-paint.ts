import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Section } from '../chat/section.ts';
import { compare, type Metric, type Sample } from '../support/compare.ts';
import { atDesk, type Desk, firstPaintOf, longestTaskOf } from './desk.ts';

const metrics: Metric[] = [
  { name: 'paint', label: 'first paint ms', better: 'less', digits: 0, goal: { most: 1_000 } },
  { name: 'ready', label: 'complete ms', better: 'less', digits: 0 },
  { name: 'task', label: 'longest task ms', digits: 0 },
];

/** The overview with nothing in the browser's cache, beside a page that consists of one line. */
export const firstPaint: Section = ({ rounds, say }) =>
  atDesk(async (desk) => {
    const plain = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Nothing else</h1>');
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    try {
      return [
        await compare({
          title: 'The overview, nothing cached, beside a page of one line',
          metrics,
          rounds,
          baseline: () => load(desk, `http://127.0.0.1:${port}/`),
          ours: () => load(desk, `${desk.service.url}/w/${desk.owner.workspaceId}/`),
          onRound: say,
        }),
      ];
    } finally {
      plain.close();
    }
  });

async function load(desk: Desk, url: string): Promise<Sample> {
  const { context, page } = await desk.openBrowser();
  const startedAt = performance.now();
  await page.goto(url);
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  const ready = performance.now() - startedAt;
  const sample = { paint: await firstPaintOf(page), ready, task: await longestTaskOf(page) };
  await context.close();
  return sample;
}
