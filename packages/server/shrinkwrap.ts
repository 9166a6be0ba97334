export interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export type LockedPackages = Record<string, LockedPackage>;

interface Root {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

/**
 * The npm-shrinkwrap.json of the published package: what its dependencies depend on is installed in the versions of our
 * package-lock.json, too, and at the same places.
 */
export function describeShrinkwrap(root: Root, locked: LockedPackages): object {
  const { name, version, dependencies, optionalDependencies } = root;
  const required = reach(Object.keys(dependencies), locked, { withOptional: false });
  const all = reach([...Object.keys(dependencies), ...Object.keys(optionalDependencies)], locked, {
    withOptional: true,
  });
  const packages = [...all].toSorted().map((path) => {
    const { dev: _dev, devOptional: _devOptional, optional: _optional, peer: _peer, ...one } = entryOf(path);
    return [path, required.has(path) ? one : { ...one, optional: true }] as const;
  });
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(packages) },
  };

  function entryOf(path: string) {
    return locked[path] as LockedPackage & Partial<Record<'dev' | 'devOptional' | 'optional' | 'peer', true>>;
  }
}

/** The places of the packages with these names, and of everything that they depend on. */
function reach(names: string[], locked: LockedPackages, options: { withOptional: boolean }): Set<string> {
  const found = new Set<string>();
  const open = names.map((name) => ({ name, from: '' }));
  for (let next = open.pop(); next; next = open.pop()) {
    const path = locate(next.name, next.from, locked);
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = locked[path] ?? {};
    const optional = options.withOptional ? Object.keys(optionalDependencies) : [];
    const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter(
      (name) => !(name in optionalDependencies) && !locked[path]?.peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...needed, ...optional]) open.push({ name, from: path });
  }
  return found;
}

/** As Node looks for it: beside the packages of whoever needs it, or in a folder above. */
function locate(name: string, from: string, locked: LockedPackages): string | undefined {
  const own = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (own in locked) return own;
  if (from === '') return undefined;
  return locate(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), locked);
}
