/** Whether a path is below a directory, by whole names. Both must be real paths, without links; others are not inside. */
export function isInside(path: string, directory: string): boolean {
  const separator = directory.includes('/') ? '/' : '\\';
  const parent = directory.endsWith(separator) ? directory : `${directory}${separator}`;
  if (!path.startsWith(parent) || path.length === parent.length) return false;
  return path
    .slice(parent.length)
    .split(/[\\/]/)
    .every((name) => name !== '..' && name !== '.' && name !== '');
}
