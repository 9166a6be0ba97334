import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../lease.ts';
import type { TurnState } from '../state.ts';
import { writeStep } from '../write-step.ts';
import type { CallDecision } from './call.ts';
import { foldEnds } from './fold-ends.ts';
import { type CallEnd, callEndsWrite } from './outcome.ts';

type Closing = Extract<CallDecision, { kind: 'close' }>['calls'];

/** Tells the model of calls that will not run: denied ones, and those whose outcome a crash took. */
export async function closeCallsStep(
  lease: TurnLease,
  closing: Closing,
  state: TurnState,
  dependencies: TurnDependencies,
): Promise<TurnState> {
  const now = dependencies.clock.now();
  const ends = closing.map(
    ({ call, outcome, told }): CallEnd => ({
      call,
      outcome,
      content: told,
      result: null,
      startedAt: now,
      durationMs: 0,
    }),
  );
  const write = callEndsWrite(ends, now, state.bot.settings.enable_agent_tracing === true);
  const first = await writeStep(lease, dependencies, {
    step: state.steps,
    status: 'running',
    replyIds: state.replyIds,
    usage: [],
    ...write,
  });
  return foldEnds(state, ends, write, first);
}
