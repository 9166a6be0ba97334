import type { ConsoleTurn } from '@svc/contract/console-conversation';
import { StateIcon } from '../../kit/state-badge.tsx';

const stoppers: Partial<Record<string, string>> = {
  api: 'through the API',
  operator: 'by a member of the team',
  user: 'by the user',
  truncate: 'because messages were removed',
};

/** Why a turn has no complete answer. */
export function TurnEnding({ turn }: { turn: ConsoleTurn }) {
  const isFailed = turn.status === 'failed';
  return (
    <p
      className={
        isFailed
          ? 'flex flex-wrap items-center gap-2 rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm'
          : 'flex flex-wrap items-center gap-2 text-ink-2 text-sm'
      }
    >
      <StateIcon state={isFailed ? 'danger' : 'info'} />
      {isFailed ? (
        <>
          <span>Failed: {turn.error?.message ?? 'the reason is not known.'}</span>
          {turn.error && <code className="text-xs">{turn.error.code}</code>}
        </>
      ) : (
        <span>Stopped {stoppers[turn.stopped_by ?? ''] ?? ''}</span>
      )}
    </p>
  );
}
