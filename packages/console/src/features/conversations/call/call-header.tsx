import type { CallDetail } from '@svc/contract/calls';
import { money } from '../../../format/numbers.ts';
import { classes } from '../../../kit/classes.ts';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { CallDuration } from '../../voice/call-duration.tsx';
import { otherSideOf, outcomeOf, ownSideOf } from '../../voice/call-texts.ts';
import { latencyParts, percentile, totalOf } from './latency.ts';

/** The call of a conversation: with whom, how it goes or went, and how fast the bot answered. */
export function CallHeader({ call }: { call: CallDetail }) {
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
        <span className="text-ink-2">{money(call.cost_usd)}</span>
      </p>
      {call.end_detail && <p className="text-ink-2 [overflow-wrap:anywhere]">{call.end_detail}</p>}
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
