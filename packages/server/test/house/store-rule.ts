import { acrossWorkspaces, filesAcrossWorkspaces } from './layout.ts';
import { closingBracket, lineOf, maskSource } from './mask-source.ts';
import type { SourceFiles, Violation } from './source-files.ts';

interface StoreFunction {
  name: string;
  offset: number;
  parameters: string[];
}

const where = 'acrossWorkspaces in packages/server/test/house/layout.ts';

/** Every store function takes the workspace (first, or after the transaction), or says in its name that it does not. */
export function storesTakeTheWorkspace(files: SourceFiles, listed = acrossWorkspaces): Violation[] {
  const met = new Set<string>();
  const broken = [...files].filter(isStore).flatMap(([path, source]) =>
    storeFunctionsOf(source).flatMap(({ name, offset, parameters }) => {
      const place = `${path}:${lineOf(source, offset)} ${name}()`;
      if (name.endsWith('AcrossWorkspaces')) {
        const entry = `${path.replace('packages/server/src/', '')}#${name}`;
        met.add(entry);
        return listed.includes(entry)
          ? []
          : [`${place} is not listed: add '${entry}' to ${where}, with a good reason`];
      }
      const takesIt = parameters
        .slice(0, 2)
        .some((parameter) => /\b(workspace(Id)?|lease)\b/.test(parameter));
      return takesIt
        ? []
        : [`${place} takes no workspaceId (first, or after tx) and is not named …AcrossWorkspaces`];
    }),
  );
  const stale = listed.filter((entry) => !met.has(entry));
  return [...broken, ...stale.map((entry) => `'${entry}' exists no more: take it out of ${where}`)];
}

/**
 * Statements run within a workspace. Those across workspaces belong to a store function of that name, or to a file that is
 * listed with a reason.
 */
export function statementsNameTheirWorkspace(
  files: SourceFiles,
  listed = filesAcrossWorkspaces,
): Violation[] {
  const met = new Set<string>();
  const broken = [...files].flatMap(([path, source]) => {
    const file = path.replace('packages/server/src/', '');
    if (file === path || file.startsWith('database/') || file.endsWith('.test.ts')) return [];
    const code = maskSource(source);
    const places = [...code.matchAll(/(AcrossWorkspaces\(\s*[\w.]*)?\bacrossWorkspaces\b/g)];
    const open = places.filter(([, named]) => named === undefined);
    const blind = [...code.matchAll(/AcrossWorkspaces\(\s*[\w.]*\.within\(/g)];
    if (blind.length > 0)
      return blind.map(({ index }) => `${path}:${lineOf(source, index)} would see one workspace only`);
    if (open.length > 0 && Object.hasOwn(listed, file)) met.add(file);
    else
      return open.map(
        ({ index }) => `${path}:${lineOf(source, index)} works across workspaces: ${howToMend}`,
      );
    return [];
  });
  const stale = Object.keys(listed).filter((file) => !met.has(file));
  return [...broken, ...stale.map((file) => `${file} needs no place in filesAcrossWorkspaces any more`)];
}

const howToMend =
  'use database.within(workspaceId), or list the file in filesAcrossWorkspaces (house/layout.ts)';

function isStore([path]: [string, string]): boolean {
  return /^packages\/server\/src\/.*\.store\.ts$/.test(path);
}

/** Methods and functions that return a promise, but not plain helpers (row to object) or creators. */
function storeFunctionsOf(source: string): StoreFunction[] {
  const code = maskSource(source);
  const name = '([A-Za-z_$][\\w$]*)';
  const generics = '(?:<[^()]*>)?';
  const kinds = [
    { pattern: new RegExp(`^[ \\t]+(async\\s+)?\\*?${name}\\s*${generics}\\(`, 'gm'), method: true },
    {
      pattern: new RegExp(`\\b(async\\s+)?function\\s*\\*?\\s*${name}\\s*${generics}\\(`, 'g'),
      method: false,
    },
    { pattern: new RegExp(`${name}\\s*[:=]\\s*(async\\s+)?${generics}\\(`, 'g'), method: false, arrow: true },
  ];
  return kinds.flatMap(({ pattern, method, arrow }) =>
    [...code.matchAll(pattern)].flatMap((match) => {
      const [found, isAsync] = arrow ? [match[1] ?? '', match[2]] : [match[2] ?? '', match[1]];
      const open = match.index + match[0].length - 1;
      const close = closingBracket(code, open);
      const after = code.slice(close + 1, close + 400);
      if (!followsLikeAFunction(after, arrow ?? false) || isKeyword(found) || /^create\w*Store$/.test(found))
        return [];
      if (!method && !isAsync && !answersWithAPromise(after)) return [];
      const offset = match.index + match[0].search(/\S/);
      return [{ name: found, offset, parameters: splitParameters(code.slice(open + 1, close)) }];
    }),
  );
}

function followsLikeAFunction(after: string, arrow: boolean): boolean {
  return arrow ? /^\s*(=>|:[^;{]*=>)/.test(after) : /^\s*[:{]/.test(after);
}

function answersWithAPromise(after: string): boolean {
  return /^\s*:\s*(Promise|AsyncIterable|AsyncGenerator)\b/.test(after);
}

function isKeyword(name: string): boolean {
  return /^(if|for|while|switch|catch|with|function|constructor|return|await|case)$/.test(name);
}

/** Returns names only: the text after a parameter's colon is its type, except inside a destructuring. */
function splitParameters(text: string): string[] {
  const parameters: string[] = [];
  let depth = 0;
  let current = '';
  for (const character of text.replaceAll('=>', '  ')) {
    if ('([{<'.includes(character)) depth++;
    if (')]}>'.includes(character)) depth--;
    if (character === ',' && depth === 0) {
      parameters.push(current);
      current = '';
    } else current += character;
  }
  return [...parameters, current].map((parameter) => {
    const destructured = /^\s*\{[^}]*\}/.exec(parameter);
    return destructured ? destructured[0] : (parameter.split(':')[0] ?? '');
  });
}
