import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { duration } from '../../format/time.ts';
import { classes } from '../../kit/classes.ts';
import { type State, StateIcon } from '../../kit/state-badge.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import type { ChatCall } from './chat-types.ts';
import { ValueView } from './value-view.tsx';

const states: Record<ChatCall['status'], { state: State; text: string }> = {
  proposed: { state: 'idle', text: 'not run' },
  waiting: { state: 'paused', text: 'waits' },
  started: { state: 'running', text: 'running' },
  ok: { state: 'success', text: 'ok' },
  error: { state: 'danger', text: 'failed' },
  denied: { state: 'info', text: 'denied' },
  unknown: { state: 'unknown', text: 'unknown: it may or may not have been carried out' },
};

/** Props: `call` (see chat-types.ts). One line; a press shows input and output. */
export function ToolCallLine({ call }: { call: ChatCall }) {
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const { state, text } = states[call.status];
  const input = call.edited ?? call.input;
  return (
    <div className="w-full min-w-0 rounded-md border border-line text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover pointer-coarse:min-h-11"
      >
        <ChevronRight
          aria-hidden
          className={classes('size-4 shrink-0 text-ink-3 transition', isOpen && 'rotate-90')}
        />
        <span className="max-w-[60%] shrink-0 truncate font-medium">
          <NameText text={call.name} />
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-ink-3 text-xs">
          <NameText text={call.progress ?? JSON.stringify(input)} />
        </span>
        <span className="flex shrink-0 items-center gap-1 text-ink-2 text-xs">
          <StateIcon state={state} />
          {call.status === 'unknown' ? 'unknown' : text}
          {call.durationMs !== null && <span className="text-ink-3">{duration(call.durationMs)}</span>}
        </span>
      </button>
      {isOpen && (
        <div id={details} className="flex flex-col gap-3 border-line border-t px-3 py-2">
          {call.status === 'unknown' && <p className="text-ink-2">The state is {text}.</p>}
          {call.edited && <ValueView label="Proposed" value={call.input} />}
          <ValueView label={call.edited ? 'Ran with' : 'Input'} value={input} />
          {call.output !== undefined && <ValueView label="Output" value={call.output} />}
        </div>
      )}
    </div>
  );
}
