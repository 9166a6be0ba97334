import { visibleParts } from '@svc/contract/visible-text';
import {
  CircleCheck,
  CircleQuestionMark,
  Hand,
  Info,
  LoaderCircle,
  OctagonX,
  TriangleAlert,
} from 'lucide-react';
import { useEffect, useReducer } from 'react';
import { serverNow } from '../format/server-time.ts';
import { exactTime, relativeTime } from '../format/time.ts';
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
      <NameText text={text} />
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

/** A relative time that stays true, with the exact one on hover. */
export function TimeAgo({ at, className }: { at: string | Date; className?: string }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // Not the time of the last tick: what happened after it would seem to be in the future.
  const now = serverNow();
  const isRecent = Math.abs(now - date.getTime()) < 3_600_000;
  useEffect(() => {
    const timer = setInterval(redraw, isRecent ? 15_000 : 300_000);
    return () => clearInterval(timer);
  }, [isRecent]);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)} className={className}>
      {relativeTime(date, now)}
    </time>
  );
}

/** Text for approval, exactly as it is: characters that would not be seen, or that would turn the text around, are shown. */
export function VisibleText({ text }: { text: string }) {
  return <Parts parts={visibleParts(text)} />;
}

/** The name of something, or a value, by others. It cannot pass for another one by turning text around or hiding in it. */
export function NameText({ text }: { text: string }) {
  return <Parts parts={visibleParts(text, 'deceptive')} />;
}

function Parts({ parts }: { parts: ReturnType<typeof visibleParts> }) {
  return parts.map((part, index) =>
    part.isHidden ? (
      <mark
        // oxlint-disable-next-line react/no-array-index-key -- the parts of a text have no other identity
        key={index}
        title="An invisible character"
        className="rounded-sm bg-danger-tint px-0.5 font-mono text-danger-ink"
      >
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}

/** A key. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-sunken px-1 font-sans text-ink-2 text-xs">
      {children}
    </kbd>
  );
}
