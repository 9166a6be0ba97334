import type { RetentionKind, RetentionPreview } from '@svc/contract/retention';
import { count, plural } from '../../../format/numbers.ts';

interface RetentionTexts {
  kind: RetentionKind;
  label: string;
  description: string;
  /** What it means that the workspace sets no limit. */
  always: string;
  /** Offered first. */
  usual: number;
  /** As the service demands. */
  least: number;
  one: string;
  many: string;
}

/** In the order of the page. */
export const retentionTexts: readonly RetentionTexts[] = [
  {
    kind: 'conversations',
    label: 'Conversations',
    description:
      'Counted from their last activity. Messages, events, traces, approvals and recordings go with them.',
    always: 'Keep for ever',
    usual: 365,
    least: 1,
    one: 'conversation',
    many: 'conversations',
  },
  {
    kind: 'traces',
    label: 'Traces',
    description: 'What happened in a turn, step by step. The messages stay.',
    always: 'Keep for ever',
    usual: 90,
    least: 1,
    one: 'step of a trace',
    many: 'steps of traces',
  },
  {
    kind: 'events',
    label: 'Events',
    description: 'What programs read again after a lost connection. The messages stay.',
    always: 'Keep for ever',
    usual: 90,
    least: 1,
    one: 'event',
    many: 'events',
  },
  {
    kind: 'recordings',
    label: 'Recordings',
    description: 'The sound of calls. The transcripts stay.',
    always: 'As each bot says',
    usual: 90,
    least: 1,
    one: 'recording',
    many: 'recordings',
  },
  {
    kind: 'audit',
    label: 'Audit log',
    description: 'Who changed what. At least 30 days.',
    always: 'Keep for ever',
    usual: 400,
    least: 30,
    one: 'entry of the audit log',
    many: 'entries of the audit log',
  },
];

const maxDays = 3_650;

/** What is wrong with a number of days. */
export function faultOf({ least }: RetentionTexts, days: number | null | undefined): string | undefined {
  if (days === null || days === undefined || (days >= least && days <= maxDays)) return undefined;
  return `Must be between ${least} and ${count(maxDays)}.`;
}

export function fieldOf<Kind extends RetentionKind>(kind: Kind): `${Kind}_days` {
  return `${kind}_days`;
}

/** `1,204 conversations`, `at least 10,000 events`. */
export function countOf({
  kind,
  deleted,
  is_at_least: isAtLeast,
}: Pick<RetentionPreview['kinds'][number], 'kind' | 'deleted' | 'is_at_least'>): string {
  const texts = retentionTexts.find((one) => one.kind === kind);
  if (!texts) return count(deleted);
  return `${isAtLeast ? 'at least ' : ''}${plural(deleted, texts.one, texts.many)}`;
}
