import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Guide } from './render-guide.ts';

export type Collection = 'guides' | 'decisions';

export interface Guides {
  /** In reading order. */
  list(collection: Collection): Promise<Guide[]>;
  find(collection: Collection, name: string): Promise<Guide | undefined>;
}

const docs = join(import.meta.dirname, '../../../../../docs');
const folders: Record<Collection, string> = { guides: '', decisions: 'decisions' };

/** From a first conversation to operating the service; pages that are not listed follow alphabetically. */
const readingOrder = [
  'console',
  'api',
  'streaming',
  'conversations',
  'widgets',
  'tools',
  'phone-calls',
  'post-call-hooks',
  'machines',
  'knowledge',
  'agents',
  'schedules',
  'quality',
  'evaluations',
  'configuration',
  'operating',
];

/** The pages of the project's `docs` folder, read when the first one is requested. */
export function createGuides(): Guides {
  const collections = new Map<Collection, Promise<Guide[]>>();
  const list = (collection: Collection) => {
    const loaded = collections.get(collection) ?? load(collection);
    collections.set(collection, loaded);
    loaded.catch(() => collections.delete(collection));
    return loaded;
  };
  return {
    list,
    find: async (collection, name) => (await list(collection)).find((guide) => guide.name === name),
  };
}

async function load(collection: Collection): Promise<Guide[]> {
  const { renderGuide } = await import('./render-guide.ts');
  const folder = folders[collection];
  const files = (await readdir(join(docs, folder)))
    .filter((file) => file.endsWith('.md'))
    .toSorted(byReadingOrder);
  return Promise.all(
    files.map(async (file) =>
      renderGuide(posix.join(folder, file), await readFile(join(docs, folder, file), 'utf8')),
    ),
  );
}

function byReadingOrder(one: string, other: string): number {
  return place(one) - place(other) || one.localeCompare(other);
}

function place(file: string): number {
  const index = readingOrder.indexOf(file.slice(0, -'.md'.length));
  return index === -1 ? readingOrder.length : index;
}
