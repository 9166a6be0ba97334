import type { CallDetail, CallHookOutcome, CallTurn } from '@svc/contract/calls';
import { useWorkspace } from '../../../app/workspace.tsx';
import { classes } from '../../../kit/classes.ts';
import { Cost } from '../../../kit/cost.tsx';
import { type State, StateBadge } from '../../../kit/labels.tsx';
import { CallDuration } from '../../voice/call-duration.tsx';
import { otherSideOf, outcomeOf, ownSideOf } from '../../voice/call-texts.ts';
import { describeLatency, latencyParts, percentile, totalOf } from './latency.ts';
import { RecordingPlayer, type RecordingPlayerProps } from './recording.tsx';

/** The call of a conversation: with whom, how it goes or went, and how fast the bot answered. */
export function CallHeader({ call, player }: { call: CallDetail } & Pick<RecordingPlayerProps, 'player'>) {
  const { can } = useWorkspace();
  const totals = call.turns.flatMap((turn) => totalOf(turn) ?? []);
  return (
    <section
      aria-label="Call"
      className="flex max-h-[40dvh] flex-col gap-1.5 overflow-y-auto border-line border-b bg-surface px-4 py-2 text-sm"
    >
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge {...outcomeOf(call)} isFilled isWrapping />
        <span className="tabular-nums">{[otherSideOf(call), ownSideOf(call)].filter(Boolean).join(' ')}</span>
        <CallDuration call={call} />
        <span className="text-ink-2">
          <Cost {...call} />
        </span>
      </p>
      {call.end_detail && <p className="text-ink-2 [overflow-wrap:anywhere]">{call.end_detail}</p>}
      {can('operator') && call.recording_ms !== null && call.recording_ms > 0 && (
        <RecordingPlayer callId={call.call_id} player={player} />
      )}
      {call.summary && (
        <p className="max-w-[72ch] text-ink-2 [overflow-wrap:anywhere]">
          <span className="font-medium text-ink">Summary:</span> {call.summary}
        </p>
      )}
      {totals.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-3 text-xs tabular-nums">
          <span>
            Answers took {percentile(totals, 0.5)} ms (p50), {percentile(totals, 0.95)} ms (p95):
          </span>
          {latencyParts.map(({ id, name, fill }) => (
            <span key={id} className="flex items-center gap-1.5">
              <span aria-hidden className={classes('size-2.5 rounded-sm forced-color-adjust-none', fill)} />
              {name}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

interface LatencyBarProps {
  turn: CallTurn;
  /** The slowest answer of the call: bars can be compared. */
  longest: number;
}

/** How long the caller waited for an answer, and for what. */
export function LatencyBar({ turn, longest }: LatencyBarProps) {
  const total = totalOf(turn);
  if (total === undefined) return null;
  const text = `Answered after ${total} ms: ${describeLatency(turn)}`;
  return (
    <div title={text} className="flex w-full max-w-[72ch] items-center gap-3 text-ink-3 text-xs tabular-nums">
      <span className="sr-only">{text}</span>
      <span aria-hidden className="flex h-2 min-w-0 flex-1">
        <span
          className="flex min-w-0 gap-px overflow-hidden rounded-sm"
          style={{ width: `${Math.max(2, (total / Math.max(longest, 1)) * 100)}%` }}
        >
          {latencyParts.map(({ id, fill }) => (
            <span
              key={id}
              className={classes('h-full min-w-0 forced-color-adjust-none', fill)}
              style={{ flex: `${turn[id] ?? 0} 0 0px` }}
            />
          ))}
        </span>
      </span>
      <span aria-hidden className="w-16 shrink-0 text-right">
        {total} ms
      </span>
    </div>
  );
}

const states: Record<CallHookOutcome['status'], { state: State; text: string }> = {
  pending: { state: 'idle', text: 'waits' },
  started: { state: 'running', text: 'running' },
  ok: { state: 'success', text: 'done' },
  error: { state: 'danger', text: 'failed' },
  unknown: { state: 'unknown', text: 'unknown: the service was cut off while it ran' },
};

/** What ran after the call. */
export function CallHooks({ hooks }: { hooks: readonly CallHookOutcome[] }) {
  if (hooks.length === 0) return null;
  return (
    <section aria-label="After the call" className="flex flex-col gap-1 border-line border-t pt-3 text-sm">
      <h3 className="font-medium">After the call</h3>
      <ol className="flex flex-col gap-1">
        {hooks.map((hook) => (
          <li key={hook.hook_id} className="flex flex-wrap items-center gap-x-3">
            <span className="[overflow-wrap:anywhere]">{hook.tool_name}</span>
            <span className="text-ink-3 text-xs">{hook.tool_type}</span>
            <StateBadge {...states[hook.status]} isWrapping />
            {hook.error && (
              <span className="w-full text-danger-ink [overflow-wrap:anywhere]">{hook.error}</span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
