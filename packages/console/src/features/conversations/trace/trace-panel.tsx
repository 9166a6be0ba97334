import type { ConsoleConversation, ConsoleTraceStep, ConsoleTurn } from '@svc/contract/console-conversation';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { updateBot } from '../../../api/bots.ts';
import { conversationQuery, traceQuery } from '../../../api/conversation.ts';
import { useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { money } from '../../../format/numbers.ts';
import { serverNow } from '../../../format/server-time.ts';
import { duration } from '../../../format/time.ts';
import { Button, CopyButton, IconButton } from '../../../kit/buttons.tsx';
import { EmptyState, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SidePanel } from '../../../kit/side-panel.tsx';
import { notify } from '../../../kit/toast.tsx';
import { StepDetail } from './step-detail.tsx';
import { Waterfall } from './waterfall.tsx';

interface TracePanelProps {
  conversation: ConsoleConversation;
  onClose: () => void;
}

/** The steps of one turn. The address says which turn and which step. */
export function TracePanel({ conversation, onClose }: TracePanelProps) {
  const [search, setSearch] = useSearchState();
  const { turns } = conversation;
  const wanted = turns.findIndex(({ id }) => id === search['turn']);
  const index = wanted === -1 ? turns.length - 1 : wanted;
  const turn = turns[index];
  const show = (to: number) => setSearch({ turn: turns[to]?.id, step: undefined });
  return (
    <SidePanel
      title="Trace"
      onClose={onClose}
      beside={
        turn && (
          <div className="flex min-w-0 items-center gap-1 text-ink-2 text-sm">
            <IconButton
              label="Previous turn"
              icon={<ChevronLeft aria-hidden />}
              isDisabled={index === 0}
              onPress={() => show(index - 1)}
              className="size-7"
            />
            <span className="whitespace-nowrap">
              turn {index + 1} of {turns.length}
            </span>
            <IconButton
              label="Next turn"
              icon={<ChevronRight aria-hidden />}
              isDisabled={index >= turns.length - 1}
              onPress={() => show(index + 1)}
              className="size-7"
            />
            <span className="truncate text-ink-3 max-sm:hidden">
              {lengthOf(turn)} · {money(turn.cost_usd)}
            </span>
          </div>
        )
      }
    >
      {turn ? (
        <TurnTrace
          conversation={conversation}
          turn={turn}
          stepId={search['step']}
          onStep={(step) => setSearch({ turn: turn.id, step })}
        />
      ) : (
        <EmptyState title="Nothing has run in this conversation yet" />
      )}
    </SidePanel>
  );
}

interface TurnTraceProps {
  conversation: ConsoleConversation;
  turn: ConsoleTurn;
  stepId: string | undefined;
  onStep: (stepId: string) => void;
}

function TurnTrace({ conversation, turn, stepId, onStep }: TurnTraceProps) {
  const { api } = useWorkspace();
  const trace = useQuery(traceQuery(api, conversation.id, turn.id));
  const { refetch } = trace;
  const now = useNow(turn.status === 'paused');
  // What a running turn has done so far grows with its messages, calls and approvals.
  const progress = [turn.status, ...progressOf(conversation, turn)].join(' ');
  useEffect(() => {
    void refetch();
  }, [progress, refetch]);
  if (trace.isPending) return <RowsLoading rows={6} />;
  if (!trace.data) {
    return (
      <div className="p-4">
        <InlineError error={trace.error} onRetry={() => void refetch()} />
      </div>
    );
  }
  const { source } = trace.data;
  const steps = withWaiting(trace.data.steps, conversation, turn.id, now);
  const step = steps.find(({ id }) => id === stepId);
  return (
    <div className="flex h-full flex-col">
      {source === 'events' && steps.length > 0 && <TracingNote conversation={conversation} />}
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Waterfall steps={steps} selectedId={step?.id} onSelect={onStep} />
        {steps.length === 0 && <EmptyState title="No step has ended yet" />}
        {steps.length > 0 && (
          <p className="flex items-center gap-1 px-4 py-2 text-ink-3 text-xs">
            All steps as JSON
            <CopyButton
              text={JSON.stringify(steps, null, 2)}
              label="Copy all steps as JSON"
              className="size-6"
            />
          </p>
        )}
      </div>
      {step && (
        <div className="max-h-[60%] overflow-y-auto bg-surface">
          <StepDetail step={step} key={step.id} />
        </div>
      )}
    </div>
  );
}

function progressOf({ messages, calls, approvals }: ConsoleConversation, { id }: ConsoleTurn): unknown[] {
  return [
    messages.filter(({ turn_id }) => turn_id === id).length,
    ...calls.filter(({ turn_id }) => turn_id === id).map(({ status }) => status),
    ...approvals.filter(({ turn_id }) => turn_id === id).map(({ status }) => status),
  ];
}

function lengthOf({ started_at: start, ended_at: end }: ConsoleTurn): string {
  return end === null ? 'not over' : duration(Date.parse(end) - Date.parse(start));
}

/** Says that this turn was not traced, and offers to trace the next ones. */
function TracingNote({ conversation }: { conversation: ConsoleConversation }) {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const { bot } = conversation;
  const start = useMutation({
    mutationFn: () => updateBot(api, conversation.bot_id, { enable_agent_tracing: true }),
    onSuccess: () => {
      notify({ text: `The next turns of ${bot.name} are traced.` });
      return client.invalidateQueries(conversationQuery(api, conversation.id));
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-info-tint px-4 py-2 text-info-ink text-sm">
      <span className="min-w-0 flex-1 basis-48">
        {bot.is_traced
          ? 'This turn ran before tracing was on: its steps are drawn from its events.'
          : 'Tracing is off: these steps are drawn from events, without what the model was sent.'}
      </span>
      {!bot.is_traced && can('operator') && (
        <Button size="small" isBusy={start.isPending} onPress={() => start.mutate()}>
          Trace from now on
        </Button>
      )}
      {start.error && <InlineError error={start.error} />}
    </div>
  );
}

/** The service's time; while it matters, as it was at most ten seconds ago. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!isRunning) return undefined;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 10_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

/** A trace has an approval once it is answered; until then the wait is drawn up to now. */
function withWaiting(
  steps: readonly ConsoleTraceStep[],
  { approvals }: Pick<ConsoleConversation, 'approvals'>,
  turnId: string,
  now: number,
): ConsoleTraceStep[] {
  const waiting = approvals.filter(({ status, turn_id: id }) => status === 'pending' && id === turnId);
  return [
    ...steps,
    ...waiting.map(
      (approval, index): ConsoleTraceStep => ({
        id: approval.id,
        turn_id: turnId,
        index: steps.length + index,
        type: 'approval',
        name: approval.tool_name,
        status: 'ok',
        started_at: approval.created_at,
        duration_ms: Math.max(0, now - Date.parse(approval.created_at)),
        input: approval.arguments,
        output: { status: 'waiting' },
        usage: null,
        error: null,
        cost_usd: null,
      }),
    ),
  ];
}
