import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../scripted-model/server.ts';
import { scriptedEnvironment } from '../../support/chat.ts';
import { type Shop, startShop } from '../../support/refund-shop.ts';
import { isFull, sampleOf } from '../../support/sample.ts';
import { type ConsoleStage, type Desk, devices, openConsole } from '../support/console.ts';
import { galleryPages, type SeededIds } from './gallery-pages.ts';
import { lookToo } from './look-too.ts';
import { seed } from './seed.ts';
import { type State, states, usual } from './states.ts';
import { type Tour, tourOf } from './tour.ts';

/** Set by `npm run gallery -w @svc/console`, which takes pictures of every page. */
const folder = process.env['SVC_PICTURES'];
const only = process.env['SVC_PAGES']?.split(',');

/** Text and background are compared on these pages only, which have all colors: it takes most of axe's time. */
const colorful = ['overview', 'conversation-trace', 'runs', 'bot-versions-compare', 'quality', 'knowledge'];
/** A run compares them on each page in one theme: in the dark on these, in the light on the others. */
const inTheDark = sampleOf(colorful, 2);
const inTheLight = colorful.filter((name) => isFull || !inTheDark.includes(name));

let scripted: ScriptedModel;
let shop: Shop;
let stage: ConsoleStage;
let ids: SeededIds;
let lookAway = () => {};
beforeAll(async () => {
  [scripted, shop] = await Promise.all([startScriptedModel(), startShop()]);
  const environment = {
    ...scriptedEnvironment(scripted),
    SVC_EGRESS_ALLOW: '127.0.0.1',
    SVC_MODEL_PRICES: '{"openai/gpt-4o":{"input":2.5,"cached_input":1.25,"output":10}}',
  };
  stage = await openConsole({ environment });
  ids = await seed(stage, scripted, shop);
  lookAway = await lookToo(stage, ids.taken);
});
afterAll(async () => {
  lookAway();
  await stage.stop();
  shop.close();
  await scripted.close();
});

type Device = keyof typeof devices;
type Theme = 'light' | 'dark';

test('every page follows the rules of accessibility, fits on the narrowest phone, and can be read in the dark', async () => {
  const { tour, found } = await open('desktop', 'light');
  const { page } = tour.desk;
  for (const [name, path] of pages()) {
    await page.setViewportSize(devices.desktop);
    await page.emulateMedia({ colorScheme: 'light' });
    await tour.visit(path);
    found.push(...(await violations(tour.desk, inTheLight.includes(name))).map((text) => `${name}: ${text}`));
    await page.setViewportSize(devices.narrow);
    await tour.settle();
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (excess > 0) found.push(`${name}: is ${excess} px too wide`);
    if (inTheDark.includes(name)) {
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await violations(tour.desk, true, ['color-contrast']);
      found.push(...dark.map((text) => `${name} in the dark: ${text}`));
    }
  }
  expect(found).toEqual([]);
  expect(tour.desk.complaints).toEqual([]);
});

const looks = (Object.keys(devices) as Device[]).flatMap((device) =>
  (['light', 'dark'] as const).map((theme) => ({ device, theme })),
);
const statesOnBothEnds = Object.keys(states).flatMap((state) => [
  { state, device: 'desktop', theme: 'light' } as const,
  { state, device: 'phone', theme: 'dark' } as const,
]);

if (folder) {
  test.for(looks)('pictures: $device, $theme', { timeout: 600_000 }, (look) => takePictures(look));
  test.for(statesOnBothEnds)(
    'pictures: $state, $device, $theme',
    { timeout: 600_000 },
    ({ state, ...look }) => takePictures(look, state),
  );
}

async function takePictures(
  { device, theme }: { device: Device; theme: Theme },
  name?: string,
): Promise<void> {
  const state = name === undefined ? undefined : states[name];
  const { tour, found } = await open(device, theme, state);
  const into = join(folder ?? '', [name, device, theme].filter(Boolean).join('-'));
  await mkdir(into, { recursive: true });
  for (const [page, path] of pages()) {
    await tour.visit(path, state?.isEndless);
    await tour.desk.page.screenshot({ path: join(into, `${page}.png`) });
    found.push(...(await violations(tour.desk, true)).map((text) => `${page}: ${text}`));
  }
  expect(found).toEqual([]);
  if (!state) expect(tour.desk.complaints).toEqual([]);
}

function pages(): [name: string, path: string][] {
  return Object.entries(galleryPages(ids)).filter(([name]) => !only || only.includes(name));
}

async function open(
  device: Device,
  theme: Theme,
  state: State = usual,
): Promise<{ tour: Tour; found: string[] }> {
  const desk = await state.open(stage, { device, theme, name: 'Ada Lovelace' });
  await desk.page.addInitScript({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
  const tour = await tourOf(desk);
  await state.begin?.(desk);
  return { tour, found: [] };
}

async function violations({ page }: Desk, withColors: boolean, rules?: string[]): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'],
    // The only rule that needs the style sheets is experimental, and reading them takes time.
    preload: { assets: ['media'] },
    ...(rules && { runOnly: rules }),
    ...(!withColors && { rules: { 'color-contrast': { enabled: false } } }),
  };
  const { violations: list } = await page.evaluate(
    (given) =>
      (window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(given),
    options,
  );
  return list.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary}`),
  );
}
