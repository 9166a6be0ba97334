import type { Rolldown } from 'vite';

export interface FirstLoad {
  /** The file of the page in features/. */
  page: string;
  /** What is loaded until it can be used, with gzip. */
  bytes: number;
}

type Output = Rolldown.RolldownOutput['output'];

/** Pages that are shown inside of another one, by what their names end with. */
const frames: [inner: RegExp, outer: RegExp][] = [
  [/-tab\.tsx$/, /\/bot-editor-page\.tsx$/],
  [/\/conversation-view\.tsx$/, /\/conversations-page\.tsx$/],
];

/** What each page loads first: the entry, the page, and everything that they import, with their styles. */
export function firstLoads(output: Output, sizes: ReadonlyMap<string, number>): FirstLoad[] {
  const chunks = new Map(
    output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
  );
  const entry = [...chunks.values()].find(({ isEntry }) => isEntry);
  return [...chunks.values()]
    .flatMap(({ fileName, facadeModuleId: module }) => {
      const [, outer] = frames.find(([inner]) => inner.test(module ?? '')) ?? [];
      if (!module || !(outer || module.endsWith('-page.tsx'))) return [];
      const frame = [...chunks.values()].find(({ facadeModuleId }) => outer?.test(facadeModuleId ?? ''));
      const loaded = new Set<string>();
      for (const name of [entry?.fileName, frame?.fileName, fileName]) if (name) addImports(name, loaded);
      const bytes = [...loaded].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
      return [{ page: module.replace(/^.*\/features\//, ''), bytes }];
    })
    .toSorted((one, other) => other.bytes - one.bytes);

  function addImports(name: string, into: Set<string>): void {
    if (into.has(name)) return;
    into.add(name);
    const chunk = chunks.get(name);
    for (const style of chunk?.viteMetadata?.importedCss ?? []) into.add(style);
    for (const imported of chunk?.imports ?? []) addImports(imported, into);
  }
}
