import type { Knowledge } from '@svc/contract/knowledge';
import { StateBadge } from '../../../kit/state-badge.tsx';

/** How far a source is. It is found by its words as soon as it is split, long before it is completed. */
export function SourceState({ source }: { source: Knowledge }) {
  const { processing_status: status, processing_progress: progress, error } = source;
  if (status === 'completed') return <StateBadge state="success" text="ready" />;
  if (status === 'failed') return <StateBadge state="danger" text={error ?? 'failed'} isWrapping />;
  return <StateBadge state="running" text={`${Math.round(progress * 100)} %`} />;
}
