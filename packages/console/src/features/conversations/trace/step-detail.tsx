import type { ConsoleTraceStep } from '@svc/contract/console-conversation';
import { count, money } from '../../../format/numbers.ts';
import { duration, exactTime } from '../../../format/time.ts';
import { CopyButton } from '../../../kit/buttons.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { ValueView } from '../../chat/value-view.tsx';
import { Passages, passagesOf } from './passages.tsx';
import { typeName } from './step-text.ts';

/** Everything about one step. */
export function StepDetail({ step }: { step: ConsoleTraceStep }) {
  const { usage, cost_usd: cost, error, input, output } = step;
  const passages = step.type === 'retrieval' ? passagesOf(output) : undefined;
  return (
    <section
      aria-label={`Step: ${step.name}`}
      className="flex flex-col gap-3 border-line border-t p-4 text-sm"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 break-words font-semibold">
          {typeName(step.type)} <span className="font-normal text-ink-2">{step.name}</span>
        </h3>
        {step.status === 'error' && <StateBadge state="danger" text="failed" />}
        <span className="ml-auto flex items-center gap-1 text-ink-3 text-xs">
          Copy JSON
          <CopyButton
            text={JSON.stringify(step, null, 2)}
            label="Copy this step as JSON"
            className="size-6"
          />
        </span>
      </header>
      <p className="flex flex-wrap gap-x-3 text-ink-3 text-xs">
        <time dateTime={step.started_at}>{exactTime(new Date(step.started_at))}</time>
        <span>{duration(step.duration_ms)}</span>
        {usage && (
          <span>
            {count(usage.input_tokens)} tokens read
            {usage.cached_input_tokens > 0 && ` (${count(usage.cached_input_tokens)} cached)`},{' '}
            {count(usage.output_tokens)} written
          </span>
        )}
        {usage && <span>{money(cost)}</span>}
      </p>
      {error && <p className="rounded-md bg-danger-tint px-3 py-2 text-danger-ink">{error}</p>}
      {input !== null && <ValueView label="Input" value={input} />}
      {passages ? (
        <Passages passages={passages} />
      ) : (
        output !== null && <ValueView label="Output" value={output} />
      )}
      {input === null && output === null && !error && (
        <p className="text-ink-3">Nothing more is known about this step.</p>
      )}
    </section>
  );
}
