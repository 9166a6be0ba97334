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

const looks = {
  success: { icon: CircleCheck, ink: 'text-success-ink', tint: 'bg-success-tint' },
  warning: { icon: TriangleAlert, ink: 'text-warning-ink', tint: 'bg-warning-tint' },
  danger: { icon: OctagonX, ink: 'text-danger-ink', tint: 'bg-danger-tint' },
  info: { icon: Info, ink: 'text-info-ink', tint: 'bg-info-tint' },
  running: { icon: LoaderCircle, ink: 'text-running-ink', tint: 'bg-running-tint' },
  paused: { icon: Hand, ink: 'text-paused-ink', tint: 'bg-paused-tint' },
  unknown: { icon: CircleQuestionMark, ink: 'text-ink-2', tint: 'bg-sunken' },
  idle: { icon: undefined, ink: 'text-ink-2', tint: '' },
};

export type State = keyof typeof looks;

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
        looks[state].ink,
        isFilled && state !== 'idle' && 'rounded-sm px-1.5 py-0.5 font-medium',
        isFilled && looks[state].tint,
      )}
    >
      <StateIcon state={state} />
      {text}
    </span>
  );
}

export function StateIcon({ state, className }: { state: State; className?: string }) {
  const { icon: Icon, ink } = looks[state];
  if (!Icon) return null;
  return (
    <Icon
      aria-hidden
      strokeWidth={1.75}
      className={classes(
        'size-4 shrink-0',
        ink,
        state === 'running' && 'animate-spin motion-reduce:animate-none',
        className,
      )}
    />
  );
}
