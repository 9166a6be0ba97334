import type { NamedApproval } from './approvals.store.ts';

/** The person or key that answers, as `resolved_by` stores it. */
export const resolvers = {
  member: (userId: string) => `member:${userId}`,
  key: (keyId: string) => `key:${keyId}`,
  /** A person with the link of a notice. */
  link: 'link',
};

/** The id of the member or key that answers; undefined for a link, which may be anybody's. */
export function resolverId(by: string): string | undefined {
  return by === resolvers.link ? undefined : by.slice(by.indexOf(':') + 1);
}

type Answered = Pick<NamedApproval, 'resolvedBy' | 'resolverName'>;

/** For people: `Ada`, `API key Shop`, `approval link`. Null when nobody answered. */
export function nameOfResolver({ resolvedBy, resolverName }: Answered): string | null {
  if (resolvedBy === null) return null;
  if (resolvedBy === resolvers.link) return 'approval link';
  if (resolvedBy.startsWith('key:')) return `API key ${resolverName ?? 'that is gone'}`;
  return resolverName ?? 'somebody who is gone';
}

/** The person who answered, and how: `Ada in the console`. */
export function describeResolver(answered: Answered): string {
  const { resolvedBy, resolverName } = answered;
  if (resolvedBy === resolvers.link) return 'somebody with the approval link';
  if (resolvedBy?.startsWith('key:')) return `the API, with the key ${resolverName ?? 'that is gone'}`;
  return `${nameOfResolver(answered)} in the console`;
}
