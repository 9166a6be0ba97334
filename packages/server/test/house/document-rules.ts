import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import type { SourceFiles, Violation } from './source-files.ts';

/** Links between files lead somewhere, down to the heading. */
export function linksLeadSomewhere(documents: SourceFiles, exists: (path: string) => boolean): Violation[] {
  return [...documents].flatMap(([path, source]) =>
    linksOf(source).flatMap(({ line, target }) => {
      const [file = '', fragment] = target.split('#');
      const found = file ? posix.join(posix.dirname(path), file) : path;
      const headings = documents.get(found);
      if (!headings && !exists(found)) return [`${path}:${line} links to ${target}, which does not exist`];
      if (fragment === undefined || (headings && anchorsOf(headings).has(fragment))) return [];
      return [`${path}:${line} links to ${target}, which has no such heading`];
    }),
  );
}

/** Source files that documents name are there. Paths may begin at any folder; `<feature>.routes.ts` stands for several. */
export function namedFilesExist(documents: SourceFiles, files: SourceFiles): Violation[] {
  const paths = [...files.keys()].map((path) => `/${path}`);
  return [...documents].flatMap(([path, source]) =>
    namesIn(withoutBlocks(source), /`([\w./-]+\.(?:ts|tsx|mjs))`/g)
      .filter((name) => !paths.some((one) => one.endsWith(`/${name}`)))
      .map((name) => `${path} names ${name}, which does not exist`),
  );
}

/** The README of a folder of documents lists every page beside it once, as an entry of a list or of a table. */
export function pagesAreListedOnce(documents: SourceFiles): Violation[] {
  return ['docs', 'docs/decisions'].flatMap((folder) => {
    const entries = (documents.get(`${folder}/README.md`) ?? '').matchAll(
      /^(?:- |\| \d{4} )\[[^\]]+\]\(([^)]+)\)/gm,
    );
    const listed = [...entries].map(([, file = '']) => posix.join(folder, file));
    return [...documents.keys()]
      .filter((path) => posix.dirname(path) === folder && posix.basename(path) !== 'README.md')
      .filter((path) => listed.filter((one) => one === path).length !== 1)
      .map((path) => `${folder}/README.md must list ${posix.basename(path)} once`);
  });
}

/** The daemon of paired machines reads it; the service only knows that it is not a mistake. */
const ofTheDaemon = new Set(['SVC_URL']);

/** Every variable that the service reads has one place in the tables of docs/configuration*.md, and nothing else has. */
export function variablesAreDocumentedOnce(files: SourceFiles, documents: SourceFiles): Violation[] {
  const read = new Set(
    [...files]
      .filter(
        ([path, source]) => !path.endsWith('.test.ts') && /\bConfigReader\b|\bkeyVariable: '/.test(source),
      )
      .flatMap(([, source]) => namesIn(source, /'((?:[A-Z]+_)+[A-Z]+\d?|PORT|HOST|VISUAL|EDITOR)'/g)),
  );
  const documented = [...documents]
    .filter(([path]) => /^docs\/configuration[\w-]*\.md$/.test(path))
    .flatMap(([, source]) => namesIn(source, /^\| `.*?`(?= +\| )/gm))
    .flatMap((cell) => namesIn(cell, /`(\w+)`/g))
    .filter((name) => !name.endsWith('_FILE'));
  const missing = [...read].filter((name) => !documented.includes(name) && !ofTheDaemon.has(name));
  const unknown = documented.filter((name) => !read.has(name));
  const repeated = documented.filter((name, index) => documented.indexOf(name) !== index);
  return [
    ...missing.map((name) => `${name} is not in docs/configuration*.md`),
    ...unknown.map((name) => `${name} is in docs/configuration*.md, but the service does not read it`),
    ...repeated.map((name) => `${name} is documented twice`),
  ];
}

function namesIn(source: string, pattern: RegExp): string[] {
  return [...source.matchAll(pattern)].map(([whole, name]) => name ?? whole);
}

/** Links to other files and headings, outside of code. */
function linksOf(source: string): { line: number; target: string }[] {
  return withoutCode(source)
    .split('\n')
    .flatMap((text, index) =>
      namesIn(text, /\]\(([^)\s]+)\)/g)
        .filter((target) => !/^(?:https?|mailto):/.test(target))
        .map((target) => ({ line: index + 1, target })),
    );
}

function anchorsOf(source: string): Set<string> {
  const slugger = new GithubSlugger();
  const titles = namesIn(withoutBlocks(source), /^#{1,6} (.+)$/gm);
  return new Set(titles.map((title) => slugger.slug(title.replaceAll('`', ''))));
}

function withoutBlocks(source: string): string {
  return source.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ''));
}

function withoutCode(source: string): string {
  return withoutBlocks(source).replaceAll(/`[^`\n]*`/g, '');
}
