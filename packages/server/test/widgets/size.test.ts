import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { widgetFolder } from '../../../widget/build.ts';

it('is at most 26.7 KB, what every page view loads at most 3.1 KB, and what a call adds at most 3.6 KB', async () => {
  const { panel, voice } = JSON.parse(await readFile(join(widgetFolder, 'manifest.json'), 'utf8')) as Record<
    'panel' | 'voice',
    string
  >;
  const [loaderSize, panelSize] = await Promise.all(['widget.js', panel].map(gzippedSize));
  const ofCalls = await gzippedSize(voice);
  const total = (loaderSize ?? 0) + (panelSize ?? 0);
  process.stdout.write(
    `widget, gzipped: loader ${loaderSize}, panel ${panelSize}, together ${total}; calls ${ofCalls} bytes\n`,
  );
  expect(loaderSize).toBeLessThanOrEqual(3_100);
  expect(total).toBeLessThanOrEqual(26_700);
  expect(ofCalls).toBeLessThanOrEqual(3_600);
});

async function gzippedSize(name: string): Promise<number> {
  return gzipSync(await readFile(join(widgetFolder, name)), { level: 9 }).length;
}
