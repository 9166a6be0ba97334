import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, Result, RunOptions } from 'axe-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gallery, openGallery, sizes } from './open-gallery.ts';

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await gallery.page.evaluate(await readFile(axe, 'utf8'));
});
afterAll(() => gallery.close());

test.for([
  ['desktop', 'light'],
  ['phone', 'dark'],
] as const)('axe finds nothing in any scene: %s, %s', async ([device, theme]) => {
  await gallery.page.setViewportSize(sizes[device]);
  const found: string[] = [];
  for (const name of gallery.names) {
    await gallery.show(name, theme);
    found.push(...(await violations()).map((violation) => `${name}: ${violation}`));
  }
  expect(found).toEqual([]);
  expect(gallery.complaints).toEqual([]);
});

async function violations(): Promise<string[]> {
  const { violations: found } = await gallery.page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    return axe.run({ resultTypes: ['violations'] });
  });
  return found.flatMap(({ id, nodes }: Result) =>
    nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary}`),
  );
}
