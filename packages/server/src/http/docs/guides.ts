import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Assets } from './assets.ts';
import type { Guide } from './render-guide.ts';

export type Collection = 'guides' | 'decisions';

/** A heading of the README, and the pages listed under it. */
export interface Group {
  title: string;
  guides: Guide[];
}

export type Shelf = Awaited<ReturnType<typeof load>>;

const docs = join(import.meta.dirname, '../../../../../docs');
const folders: Record<Collection, string> = { guides: '', decisions: 'decisions' };
const readme = 'README.md';

/** The pages of the project's `docs` folder, read when the first one is requested. */
export function createGuides(assets: Pick<Assets, 'links'>) {
  const shelves = new Map<Collection, Promise<Shelf>>();
  return (collection: Collection): Promise<Shelf> => {
    const loaded = shelves.get(collection) ?? load(collection, assets);
    shelves.set(collection, loaded);
    loaded.catch(() => shelves.delete(collection));
    return loaded;
  };
}

/** The README of a folder, and the pages beside it. */
async function load(collection: Collection, assets: Pick<Assets, 'links'>) {
  const [{ renderGuide }, { pictures }] = await Promise.all([import('./render-guide.ts'), assets.links()]);
  const folder = join(docs, folders[collection]);
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const render = async (file: string) =>
    renderGuide(posix.join(folders[collection], file), await read(file), pictures);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md') && file !== readme);
  const pages = new Map((await Promise.all(files.map(render))).map((page) => [page.name, page]));
  return {
    index: await render(readme),
    groups: groupsOf(await read(readme), pages),
    find: (name: string): Guide | undefined => pages.get(name),
  };
}

function groupsOf(source: string, pages: ReadonlyMap<string, Guide>): Group[] {
  const [, ...sections] = source.split(/^## /m);
  return sections.map((section) => ({
    title: section.split('\n', 1).join(),
    guides: [...section.matchAll(/\]\(([\w-]+)\.md\)/g)].flatMap(([, name = '']) => pages.get(name) ?? []),
  }));
}
