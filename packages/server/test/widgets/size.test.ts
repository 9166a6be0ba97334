import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { widgetFolder } from '../../../widget/build.ts';

/** Of what the panel loads where it is needed. */
const partLimits: Record<string, number> = {
  voice: 3_600,
  form: 1_300,
  actions: 3_000,
  files: 2_900,
  history: 1_600,
  teaser: 1_800,
};

it('is at most 28 KB, of which every page view loads at most 3.1 KB', async () => {
  const { panel = '', ...parts } = JSON.parse(
    await readFile(join(widgetFolder, 'manifest.json'), 'utf8'),
  ) as Record<string, string>;
  const loader = await gzippedSize('widget.js');
  const total = loader + (await gzippedSize(panel));
  const partSizes: Record<string, number> = {};
  for (const [part, name] of Object.entries(parts)) partSizes[part] = await gzippedSize(name);
  process.stdout.write(
    `widget, gzipped: loader ${loader}, with the panel ${total}; ${JSON.stringify(partSizes)}\n`,
  );
  expect(loader).toBeLessThanOrEqual(3_100);
  expect(total).toBeLessThanOrEqual(28 * 1024);
  expect(Object.keys(partSizes)).toEqual(Object.keys(partLimits));
  for (const [part, size] of Object.entries(partSizes))
    expect(size).toBeLessThanOrEqual(partLimits[part] ?? 0);
});

async function gzippedSize(name: string): Promise<number> {
  return gzipSync(await readFile(join(widgetFolder, name)), { level: 9 }).length;
}
