/**
 * The programs of this platform that package-lock.json lacks, as `name@version`. npm writes only those into it that its registry has at that
 * moment, which for a new version can be those of one platform, and then installs no others anywhere. Their packages name
 * their version exactly.
 */
export function missingNatives({ packages }, { platform, arch, development }) {
  const isOurs = new RegExp(`[-/]${platform}-${arch}(-gnu|-msvc)?$`);
  const missing = Object.entries(packages).flatMap(([path, { dev, optionalDependencies = {} }]) =>
    dev && !development
      ? []
      : Object.entries(optionalDependencies).filter(
          ([name]) => isOurs.test(name) && !isLocked(packages, path, name),
        ),
  );
  return [...new Set(missing.map(([name, version]) => `${name}@${version}`))];
}

/** npm looks beside a package, then in each folder above it. */
function isLocked(packages, path, name) {
  const folders = path
    .split('/node_modules/')
    .map((_part, index, parts) => parts.slice(0, index + 1).join('/node_modules/'));
  return ['', ...folders].some((folder) => packages[`${folder && `${folder}/`}node_modules/${name}`]);
}
