import type { UsageReport } from '@svc/contract/usage';
import { compactCount, count, money } from '../../format/numbers.ts';
import { classes } from '../../kit/classes.ts';
import { type State, StateIcon } from '../../kit/state-badge.tsx';
import { tokensOf, type UsageGroup } from './usage-data.ts';

interface UsageSummaryProps {
  /** "in November 2026" */
  period: string;
  total: UsageGroup;
  report: Pick<UsageReport, 'balance_usd' | 'usd_per_day' | 'days_left'>;
}

const lowDays = 7;

/** What was spent, what is left, and for how long. */
export function UsageSummary({ period, total, report }: UsageSummaryProps) {
  const { balance_usd: balance, usd_per_day: perDay, days_left: daysLeft } = report;
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-4 border-line border-b px-4 py-4 md:px-6">
      <Figure
        title={`Spent ${period}`}
        value={`${money(String(total.cost))}${total.isUnpriced ? ' +' : ''}`}
        note={total.isUnpriced ? 'and more: some prices are unknown' : `${money(perDay)} a day this week`}
      />
      <Figure
        title="Tokens"
        value={compactCount(tokensOf(total))}
        note={`${compactCount(total.inputTokens)} in, ${compactCount(total.outputTokens)} out`}
      />
      <Figure title="Turns" value={count(total.turns)} note="messages answered and runs" />
      <Figure title="Balance" value={balance === null ? 'Unlimited' : money(balance)} note={left()} />
    </dl>
  );

  function left() {
    if (balance === null) return 'Nothing stops when money is spent.';
    if (Number(balance) <= 0)
      return <Notice state="danger" text="Used up: bots answer no more until there is credit." />;
    if (daysLeft === null) return 'Nothing was spent this week.';
    const text = `At this pace the balance lasts ${daysLeft < 1 ? 'less than a day' : daysText(daysLeft)}.`;
    return daysLeft < lowDays ? <Notice state="warning" text={text} /> : text;
  }
}

function Notice({ state, text }: { state: State; text: string }) {
  return (
    <span
      className={classes(
        'flex items-start gap-1',
        state === 'danger' ? 'text-danger-ink' : 'text-warning-ink',
      )}
    >
      <StateIcon state={state} className="mt-0.5" />
      {text}
    </span>
  );
}

function daysText(days: number): string {
  const whole = Math.round(days);
  if (whole > 730) return 'for years';
  return whole === 1 ? '1 day' : `${count(whole)} days`;
}

function Figure({ title, value, note }: { title: string; value: string; note: React.ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-ink-2 text-sm">{title}</dt>
      <dd className="flex flex-col">
        <span className="font-semibold text-xl">{value}</span>
        <span className="text-ink-3 text-sm">{note}</span>
      </dd>
    </div>
  );
}
