import type { ConsoleTraceStep } from '@svc/contract/console-conversation';
import { type KeyboardEvent, useMemo } from 'react';
import { duration } from '../../../format/time.ts';
import { createTimeScale } from './time-scale.ts';
import { WaterfallRow } from './waterfall-row.tsx';

interface WaterfallProps {
  steps: readonly ConsoleTraceStep[];
  selectedId: string | undefined;
  onSelect: (stepId: string) => void;
}

/** Every step on one line, on a common scale of time. Arrow keys move between the steps. */
export function Waterfall({ steps, selectedId, onSelect }: WaterfallProps) {
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
