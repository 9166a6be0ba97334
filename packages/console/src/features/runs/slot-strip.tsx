import { classes } from '../../kit/classes.ts';
import type { State } from '../../kit/state-badge.tsx';
import { type Slot, slotState } from './run-states.ts';

/** Filled, ringed or crossed, so that they differ without color. */
const looks: Record<State, string> = {
  success: 'bg-success',
  danger:
    'bg-danger [background-image:linear-gradient(45deg,transparent_42%,var(--color-surface)_42%_58%,transparent_58%)]',
  warning: 'bg-warning [clip-path:polygon(50%_0,100%_100%,0_100%)]',
  running: 'border-2 border-running motion-safe:animate-pulse',
  paused: 'border-2 border-paused bg-paused-tint',
  unknown: 'bg-line-strong',
  info: 'border border-line-strong bg-sunken',
  idle: 'bg-line',
};

/** The last slots as squares, the newest at the end. What they mean is said by the control around them. */
export function SlotStrip({ slots }: { slots: readonly Slot[] }) {
  return (
    <span aria-hidden className="flex flex-wrap gap-0.5">
      {slots.toReversed().map((slot) => {
        const { state, text } = slotState(slot);
        return (
          <span
            key={slot.slot_at}
            title={`${new Date(slot.slot_at).toLocaleString()}: ${text}`}
            className={classes('size-3 rounded-[3px] forced-color-adjust-none', looks[state])}
          />
        );
      })}
    </span>
  );
}
