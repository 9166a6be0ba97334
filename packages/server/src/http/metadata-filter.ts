const prefix = 'metadata.';

/** The `metadata.<key>=<value>` parameters of a query, as the object to look for. */
export function metadataFilter(query: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query)
      .filter((entry): entry is [string, string] => entry[0].startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}
