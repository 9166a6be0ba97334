import { type Import, importsOf } from './imports.ts';
import { type Layer, layerOf, type Role } from './layout.ts';
import { lineOf } from './mask-source.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

type Feature = Extract<Layer, { kind: 'feature' }>;

/** The type of everything that is wired, from which features take what stands below them. */
export const services = 'packages/server/src/services.ts';

/** Rule 1: contract imports no other package; the browser packages, the daemon and the client never import the server. */
export function packagesLeanOnContract(files: SourceFiles): Violation[] {
  return check(files, ({ from, target, specifier }) => {
    const own = packageOf(from);
    const other = target && packageOf(target);
    if (!own) return undefined;
    if (own === 'contract' && specifier.startsWith('node:'))
      return 'contract runs in browsers: no node: modules';
    if (!target || other === own) return undefined;
    if (own === 'contract') return 'rule 1: contract imports nothing of ours';
    // The launcher does what `npm start` does.
    if (from.startsWith('packages/server/bin/') && target.startsWith('scripts/')) return undefined;
    if (specifier.startsWith('.')) return 'rule 1: another package is imported by its name, not by its path';
    if (other === 'server') return `rule 1: ${own} never imports the server`;
    return undefined;
  });
}

/** Rule 2, between features: a feature imports only the services of other features, and only downwards. */
export function featuresLeanDownwards(files: SourceFiles): Violation[] {
  return checkServer(files, (from, to, { target, typesOnly }) => {
    if (from.kind === 'wiring' || from.kind === 'unknown') return undefined;
    if (to.kind === 'wiring') {
      const takesServices = from.kind === 'feature' && typesOnly && target === services;
      return takesServices ? undefined : 'rule 2: only app.ts, main.ts and command/ know the wiring';
    }
    if (to.kind !== 'feature' || (from.kind === 'feature' && from.name === to.name)) return undefined;
    // Authentication: http/ passes on the principal that keys finds, and gets the service from app.ts.
    const principal =
      from.kind === 'shared' && from.name === 'http' && to.name === 'keys' && to.role === 'service';
    if (principal && typesOnly) return undefined;
    if (from.kind === 'shared')
      return `rule 2: ${from.name} lies below all features and cannot know ${to.name}`;
    // A store may use the types of the feature below for what it stores.
    if ((from.role === 'store' || from.role === 'tables') && !typesOnly)
      return `rule 2: a .${from.role}.ts knows no other feature`;
    if (to.role !== 'service') return `rule 2: of ${to.name} only its service may be used, not ${target}`;
    if (to.level === from.level) return `rule 2: ${from.name} and ${to.name} are neighbours on one level`;
    if (to.level > from.level) return `rule 2: ${to.name} stands above ${from.name}`;
    return undefined;
  });
}

/** Rule 2, between features: what a feature takes from `Services` stands below it. */
export function servicesAreTakenFromBelow(files: SourceFiles): Violation[] {
  const source = files.get(services) ?? '';
  const fileOfType = new Map(
    importsOf(new Map([[services, source]])).flatMap(({ names, target }) =>
      names.map((name) => [name, target]),
    ),
  );
  const homes = new Map(
    [...source.matchAll(/^  (\w+): (\w+)/gm)].map(([, name = '', type = '']) => [name, fileOfType.get(type)]),
  );
  return [...files].flatMap(([path, text]) => {
    const from = layerOf(path);
    if (from?.kind !== 'feature' || isTest(path)) return [];
    const taken = [...text.matchAll(/Pick<\s*Services,([^>]*)>|\bServices\[('\w+')\]/g)];
    return taken.flatMap(({ index, 1: several, 2: one }) =>
      [...(several ?? one ?? '').matchAll(/'(\w+)'/g)].flatMap(([, name = '']) => {
        const home = homes.get(name);
        const to = home === undefined ? undefined : layerOf(home);
        if (to?.kind !== 'feature' || to.name === from.name || to.level < from.level) return [];
        return [
          `${path}:${lineOf(text, index)} takes '${name}' — rule 2: ${to.name} does not stand below ${from.name}`,
        ];
      }),
    );
  });
}

/** Rule 2, inside a feature, which open-<feature>.ts wires: routes → service → store → tables. Types may skip a step, nothing goes back up. */
export function layersLeanDownwards(files: SourceFiles): Violation[] {
  const height: Record<Role, number> = { opening: 5, routes: 4, service: 3, store: 2, tables: 1, helper: 3 };
  return checkServer(files, (from, to, { typesOnly }) => {
    if (from.kind !== 'feature' || to.kind !== 'feature' || from.name !== to.name) return undefined;
    if (to.role === 'helper') return undefined;
    if (height[to.role] > height[from.role]) return `rule 2: ${to.role}.ts stands above ${describe(from)}`;
    const skips = height[from.role] - height[to.role] > 1;
    if (from.role !== 'helper' && from.role !== 'opening' && skips && !typesOnly)
      return `rule 2: ${describe(from)} skips a layer to ${to.role}.ts`;
    return undefined;
  });
}

const principals = ['end-user.ts', 'member-principal.ts'].map((name) => `packages/server/src/http/${name}`);

/** Rule 2: config is passed on by the wiring, and http is for routes; every folder has its layer. */
export function sharedFoldersAreUsedAsMeant(files: SourceFiles): Violation[] {
  return checkServer(files, (from, to, { typesOnly, target }) => {
    if (from.kind === 'wiring' || from.kind === 'unknown') return undefined;
    const toConfig = target === 'packages/server/src/config/config.ts';
    if (toConfig && !typesOnly)
      return 'rule 2: config.ts is imported for its types only; app.ts hands out the values';
    // The services of end users, widgets and members find the principals that http/ passes on.
    if (typesOnly && target && principals.includes(target)) return undefined;
    const toHttp = to.kind === 'shared' && to.name === 'http';
    const mayUseHttp = from.kind === 'shared' ? from.name === 'http' : from.role === 'routes';
    if (toHttp && !mayUseHttp) return 'rule 2: only routes use http/';
    return undefined;
  });
}

/** Rule 2: features are created and wired in one place. */
export function onlyTheWiringCreatesFeatures(files: SourceFiles): Violation[] {
  return checkServer(files, (from, to, { names }) => {
    if (from.kind === 'wiring' || to.kind !== 'feature' || (isFeature(from) && from.name === to.name))
      return undefined;
    const creator = names.find((name) => name === '*' || /^create\w*(Service|Store|Routes)$/.test(name));
    return creator && `rule 2: ${creator} of ${to.name} is called by app.ts, main.ts or command/ only`;
  });
}

export function everyFolderHasAPlace(files: SourceFiles): Violation[] {
  return [...files.keys()].flatMap((path) => {
    const layer = layerOf(path);
    if (layer?.kind !== 'unknown') return [];
    return `${path}:1 the folder "${layer.name}" has no layer: add it to featureLevels (or sharedFolders) in packages/server/test/house/layout.ts`;
  });
}

function check(files: SourceFiles, rule: (found: Import) => string | undefined): Violation[] {
  return importsOf(files)
    .filter(({ from }) => !isTest(from))
    .flatMap((found) => {
      const broken = rule(found);
      return broken ? [`${found.from}:${found.line} imports '${found.specifier}' — ${broken}`] : [];
    });
}

function checkServer(
  files: SourceFiles,
  rule: (from: Layer, to: Layer, found: Import) => string | undefined,
): Violation[] {
  return check(files, (found) => {
    const from = layerOf(found.from);
    const to = found.target && layerOf(found.target);
    return from && to ? rule(from, to, found) : undefined;
  });
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

function isFeature(layer: Layer): layer is Feature {
  return layer.kind === 'feature';
}

function describe(layer: Feature): string {
  return layer.role === 'helper' ? 'a helper file' : `${layer.role}.ts`;
}
