import type { Member } from '../support/members.ts';
import type { Operation } from '../support/operations.ts';
import type { CallOptions } from '../support/test-app.ts';

export const isOfConsole = ({ path }: Operation): boolean => path.startsWith('/api/console');

/** What the console sends with a request: nothing but its headers if nobody is signed in. */
export function consoleOptions(
  { scheme, role }: Operation,
  url: string,
  member: Member | null,
): Required<Pick<CallOptions, 'key' | 'headers'>> {
  const place: Record<string, string> =
    role !== undefined && member ? { 'x-svc-workspace': member.workspaceId } : { 'x-svc-console': '1' };
  const session: Record<string, string> =
    member && (scheme === 'session' || scheme === 'account_key') ? { cookie: member.cookie } : {};
  return { key: null, headers: { origin: url, ...place, ...session } };
}
