import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import { Meter } from '../../kit/meter.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { describeSource } from './source-state.ts';

/** The state of a source, with the reason if it failed. */
export function SourceStateCell({ source }: { source: KnowledgeSource }) {
  const { state, text } = describeSource(source);
  const { error, processing_status: status, processing_progress: progress } = source;
  return (
    <span className="flex flex-col items-start gap-0.5 py-0.5">
      <StateBadge state={state} text={status === 'failed' && error ? error : text} isWrapping />
      {status === 'processing' && (
        <span className="w-full max-w-48">
          <Meter label={`Reading ${source.title}`} value={progress} isProgress />
        </span>
      )}
      {status !== 'failed' && error && <span className="text-ink-3 text-xs">{error}</span>}
    </span>
  );
}
