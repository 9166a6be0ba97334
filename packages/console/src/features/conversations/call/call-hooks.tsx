import type { CallHookOutcome } from '@svc/contract/calls';
import { type State, StateBadge } from '../../../kit/state-badge.tsx';

const states: Record<CallHookOutcome['status'], { state: State; text: string }> = {
  pending: { state: 'idle', text: 'waits' },
  started: { state: 'running', text: 'running' },
  ok: { state: 'success', text: 'done' },
  error: { state: 'danger', text: 'failed' },
  unknown: { state: 'unknown', text: 'unknown: the service was cut off while it ran' },
};

/** What ran after the call. */
export function CallHooks({ hooks }: { hooks: readonly CallHookOutcome[] }) {
  if (hooks.length === 0) return null;
  return (
    <section aria-label="After the call" className="flex flex-col gap-1 border-line border-t pt-3 text-sm">
      <h3 className="font-medium">After the call</h3>
      <ol className="flex flex-col gap-1">
        {hooks.map((hook) => (
          <li key={hook.hook_id} className="flex flex-wrap items-center gap-x-3">
            <span className="[overflow-wrap:anywhere]">{hook.tool_name}</span>
            <span className="text-ink-3 text-xs">{hook.tool_type}</span>
            <StateBadge {...states[hook.status]} isWrapping />
            {hook.error && (
              <span className="w-full text-danger-ink [overflow-wrap:anywhere]">{hook.error}</span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
