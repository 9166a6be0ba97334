import {
  CircleCheck,
  CircleQuestionMark,
  Hand,
  Info,
  LoaderCircle,
  OctagonX,
  TriangleAlert,
} from 'lucide-react';
import { classes } from './classes.ts';

export type State = 'success' | 'warning' | 'danger' | 'info' | 'running' | 'paused' | 'unknown' | 'idle';

const icons = {
  success: CircleCheck,
  warning: TriangleAlert,
  danger: OctagonX,
  info: Info,
  running: LoaderCircle,
  paused: Hand,
  unknown: CircleQuestionMark,
};

const inks = {
  success: 'text-success-ink',
  warning: 'text-warning-ink',
  danger: 'text-danger-ink',
  info: 'text-info-ink',
  running: 'text-running-ink',
  paused: 'text-paused-ink',
  unknown: 'text-ink-2',
  idle: 'text-ink-2',
};

const tints = {
  success: 'bg-success-tint',
  warning: 'bg-warning-tint',
  danger: 'bg-danger-tint',
  info: 'bg-info-tint',
  running: 'bg-running-tint',
  paused: 'bg-paused-tint',
  unknown: 'bg-sunken',
  idle: '',
};

interface StateBadgeProps {
  state: State;
  /** In words: color and icon alone say nothing to some. */
  text: string;
  /** With a background, where it stands alone. */
  isFilled?: boolean;
  /** A long text is broken into lines. */
  isWrapping?: boolean;
}

export function StateBadge({ state, text, isFilled = false, isWrapping = false }: StateBadgeProps) {
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 text-sm',
        !isWrapping && 'whitespace-nowrap',
        inks[state],
        isFilled && state !== 'idle' && 'rounded-sm px-1.5 py-0.5 font-medium',
        isFilled && tints[state],
      )}
    >
      <StateIcon state={state} />
      {text}
    </span>
  );
}

export function StateIcon({ state, className }: { state: State; className?: string }) {
  if (state === 'idle') return null;
  const Icon = icons[state];
  return (
    <Icon
      aria-hidden
      strokeWidth={1.75}
      className={classes(
        'size-4 shrink-0',
        inks[state],
        state === 'running' && 'animate-spin motion-reduce:animate-none',
        className,
      )}
    />
  );
}
