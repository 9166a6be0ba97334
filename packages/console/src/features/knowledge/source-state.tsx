import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import { type State, StateBadge } from '../../kit/labels.tsx';
import { Meter } from '../../kit/meter.tsx';

/** From here on a source is split, so that it is found by words; what is missing are vectors. */
const splitProgress = 0.4;

type Processed = Pick<KnowledgeSource, 'processing_status' | 'processing_progress' | 'error'>;

/** The state of a source in words. */
function describeSource(source: Processed): { state: State; text: string } {
  const { processing_status: status, processing_progress: progress } = source;
  switch (status) {
    case 'completed':
      return { state: 'success', text: 'Ready' };
    case 'failed':
      return { state: 'danger', text: 'Failed' };
    case 'pending':
      if (progress === 0)
        return { state: 'running', text: source.error ? 'Waiting to try again' : 'Waiting' };
      break;
    case 'processing':
      break;
  }
  const percent = `${Math.round(progress * 100)} %`;
  return {
    state: 'running',
    text: progress >= splitProgress ? `${percent} · found by words already` : `Reading, ${percent}`,
  };
}

const names = { text: 'Text', uploaded_file: 'File', url: 'Web page' };

export function typeName(type: KnowledgeSource['content_type']): string {
  return names[type];
}

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
