import type { ConsoleTraceStep } from '@svc/contract/console-conversation';
import { Bot, Flag, Gauge, Hand, Search, ShieldCheck, Wrench } from 'lucide-react';
import { type KeyboardEvent, memo, useMemo } from 'react';
import { useToolNames } from '../../../app/tool-names.ts';
import { money } from '../../../format/numbers.ts';
import { duration } from '../../../format/time.ts';
import { classes } from '../../../kit/classes.ts';
import { StateIcon } from '../../../kit/labels.tsx';
import { createTimeScale, type TimeBreak } from './time-scale.ts';

interface WaterfallProps {
  steps: readonly ConsoleTraceStep[];
  selectedId: string | undefined;
  onSelect: (stepId: string) => void;
}

/** Every step on one line, on a common scale of time. Arrow keys move between the steps. */
export function Waterfall({ steps, selectedId, onSelect }: WaterfallProps) {
  const toolNameOf = useToolNames();
  const { scale, rows } = useMemo(() => {
    const spans = steps.map((step) => {
      const start = Date.parse(step.started_at);
      return { start, end: start + step.duration_ms, isWaiting: step.type === 'approval' };
    });
    const drawn = createTimeScale(spans);
    const bars = spans.map(({ start, end }) => ({ from: drawn.at(start), to: drawn.at(end) }));
    return { scale: drawn, rows: bars };
  }, [steps]);

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const index = steps.findIndex(({ id }) => id === selectedId);
    const moved = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: steps.length - 1 }[event.key];
    const next = moved === undefined ? undefined : steps[moved];
    if (!next) return;
    event.preventDefault();
    onSelect(next.id);
    const row = event.currentTarget.querySelector<HTMLElement>(`[data-step="${next.id}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  }

  return (
    <div role="listbox" aria-label="Steps" onKeyDown={onKeyDown} tabIndex={-1} className="relative text-sm">
      <div
        aria-hidden
        className="flex h-6 items-center overflow-hidden border-line border-b bg-sunken text-ink-3 text-xs"
      >
        <span className="w-40 shrink-0 px-3 max-sm:w-28" />
        <span className="relative h-full min-w-0 flex-1">
          {scale.ticks.map(({ position, milliseconds }) => (
            <span
              key={milliseconds}
              className="absolute top-1 whitespace-nowrap border-line border-l pl-1"
              style={{ left: `${position * 100}%` }}
            >
              {milliseconds === 0 ? '0' : duration(milliseconds)}
            </span>
          ))}
        </span>
        <span className="w-40 shrink-0 px-3 max-sm:w-24" />
      </div>
      {steps.map((step, index) => (
        <WaterfallRow
          key={step.id}
          step={step}
          title={step.type === 'tool' || step.type === 'approval' ? toolNameOf(step.name) : step.name}
          from={rows[index]?.from ?? 0}
          to={rows[index]?.to ?? 0}
          breaks={scale.breaks}
          isSelected={step.id === selectedId}
          isReachable={step.id === selectedId || (selectedId === undefined && index === 0)}
          onSelect={onSelect}
        />
      ))}
    </div>
  );
}

/** What people call the kinds of steps, and how they are drawn. */
export const stepKinds = {
  model: { name: 'Model', icon: Bot, fill: 'bg-accent' },
  tool: { name: 'Tool', icon: Wrench, fill: 'bg-chart-2' },
  retrieval: { name: 'Search', icon: Search, fill: 'bg-chart-6' },
  approval: { name: 'Approval', icon: Hand, fill: 'bg-paused' },
  confidence: { name: 'Grading', icon: Gauge, fill: 'bg-info' },
  validation: { name: 'Validation', icon: ShieldCheck, fill: 'bg-info' },
  goal_completion_check: { name: 'Goal check', icon: Flag, fill: 'bg-info' },
};

interface WaterfallRowProps {
  step: ConsoleTraceStep;
  /** What people call it. */
  title: string;
  /** Where it begins and ends, from 0 to 1. */
  from: number;
  to: number;
  breaks: readonly TimeBreak[];
  isSelected: boolean;
  /** Tab stops here. */
  isReachable: boolean;
  onSelect: (stepId: string) => void;
}

/** Memoized, because a trace can have hundreds of steps and only two change when another one is selected. */
const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { step, title, from, to, breaks, isSelected, isReachable, onSelect } = props;
  const { name, icon: Icon, fill } = stepKinds[step.type];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles keys
    <div
      role="option"
      aria-selected={isSelected}
      data-step={step.id}
      tabIndex={isReachable ? 0 : -1}
      onClick={() => onSelect(step.id)}
      onFocus={() => !isSelected && onSelect(step.id)}
      className={classes(
        'flex h-9 items-center border-line border-b [contain-intrinsic-size:auto_2.25rem] [content-visibility:auto] -outline-offset-2 pointer-coarse:h-11',
        isSelected ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <span className="flex w-40 shrink-0 items-center gap-1.5 px-3 max-sm:w-28">
        <Icon aria-hidden strokeWidth={1.75} className="size-4 shrink-0 text-ink-2" />
        <span className="sr-only">{name}</span>
        <span className="truncate" title={step.name}>
          {title}
        </span>
        {step.status === 'error' && (
          <>
            <StateIcon state="danger" className="size-3.5" />
            <span className="sr-only">failed</span>
          </>
        )}
      </span>
      <span aria-hidden className="relative h-full min-w-0 flex-1">
        {breaks.map(({ position, width }) => (
          <span
            key={position}
            className="absolute inset-y-0 flex items-center justify-center overflow-hidden bg-sunken text-ink-3 text-xs"
            style={{ left: `${position * 100}%`, width: `${width * 100}%` }}
          >
            ╱╱
          </span>
        ))}
        <span
          className={classes(
            'absolute inset-y-2.5 min-w-0.5 rounded-sm forced-color-adjust-none',
            fill,
            step.type === 'approval' && 'opacity-50',
          )}
          style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
        />
      </span>
      <span className="flex w-40 shrink-0 flex-col items-end px-3 text-right text-xs leading-4 max-sm:w-24">
        <span className="text-ink-2">{duration(step.duration_ms)}</span>
        <span className="max-w-full truncate text-ink-3" title={summaryOf(step)}>
          {summaryOf(step)}
        </span>
      </span>
    </div>
  );
});

/** `2.3K`, because a line is short. */
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** What a step did, in a few characters: `812 → 140 · $0.002`, `6 found`, `approved`. */
function summaryOf(step: ConsoleTraceStep): string {
  const parts = [outcomeOf(step), step.cost_usd === null ? undefined : money(step.cost_usd)];
  return parts.filter((part) => part !== undefined).join(' · ');
}

function outcomeOf({ type, output, usage }: ConsoleTraceStep): string | undefined {
  const fields = typeof output === 'object' && output !== null ? (output as Record<string, unknown>) : {};
  if (usage) return `${short.format(usage.input_tokens)} → ${short.format(usage.output_tokens)}`;
  if (type === 'retrieval' && Array.isArray(fields['passages'])) return `${fields['passages'].length} found`;
  if (type === 'approval' && typeof fields['status'] === 'string')
    return fields['status'].replaceAll('_', ', ');
  if (type === 'confidence' && typeof fields['score'] === 'number')
    return `score ${fields['score'].toFixed(2)}`;
  return undefined;
}
