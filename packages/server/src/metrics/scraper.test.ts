import { expect, it } from 'vitest';
import { createMeters } from './meters.ts';
import { createScraper, type ProcessSnapshot } from './scraper.ts';

const scrape = async (collect?: () => Promise<ProcessSnapshot[]>) => {
  const scraper = await createScraper({
    meters: createMeters(),
    figures: { snapshot: async () => [] },
    collect,
  });
  return scraper.text();
};

it('reports a process that did not answer, beside the series of the others', async () => {
  const metrics = await createMeters().snapshot();
  const text = await scrape(async () => [
    { process: 1, metrics },
    { process: 2, metrics: undefined },
  ]);
  expect(text).toContain('\nsvc_process_up{process="1"} 1\n');
  expect(text).toContain('\nsvc_process_up{process="2"} 0\n');
  expect(text).toContain('\nsvc_turns_ended_total{outcome="failed",process="1"} 0\n');
  expect(text).not.toContain('outcome="failed",process="2"');
});

it('reports the only process without a label', async () => {
  expect(await scrape()).toContain('\nsvc_process_up 1\n');
});

it('fails if the processes cannot be asked', async () => {
  await expect(scrape(() => Promise.reject(new Error('no supervisor')))).rejects.toThrow('no supervisor');
});
