import { invalid } from '../lib/app-error.ts';
import type { ApprovalRow, ResolvedPlace } from './approvals.store.ts';

/** The cursor after an approval. It contains the sort keys, so that it works even if the approval is deleted. */
export function writePlace({ id, resolvedAt }: Pick<ApprovalRow, 'id' | 'resolvedAt'>): string {
  return `${resolvedAt?.getTime() ?? 0}.${id}`;
}

/** The end of the last year that PostgreSQL and ISO 8601 write in the same way. */
const maxTime = Date.UTC(9999, 11, 31);

export function readPlace(cursor: string): ResolvedPlace {
  const [time = '', id = ''] = cursor.split('.');
  const resolvedAt = new Date(Number(time));
  if (!(resolvedAt.getTime() <= maxTime) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    throw invalid('before', 'must be the cursor of a Link header');
  }
  return { resolvedAt, id };
}
