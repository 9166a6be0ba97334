/** The vendors' own tools take an address without a path, the AI SDK one with the version: both work here. */
export function withVersionPath(baseUrl: string, versionPath: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return new URL(trimmed).pathname === '/' ? `${trimmed}${versionPath}` : trimmed;
}
