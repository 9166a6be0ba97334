import type { ConsoleConversation, ConsoleTraceStep, ConsoleTurn } from '@svc/contract/console-conversation';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { updateBot } from '../../../api/bots.ts';
import { conversationQuery, traceQuery } from '../../../api/conversations.ts';
import { passageSearch } from '../../../app/passage-search.ts';
import { useToolNames } from '../../../app/tool-names.ts';
import { PageLink, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { count, money } from '../../../format/numbers.ts';
import { serverNow } from '../../../format/server-time.ts';
import { duration, exactTime } from '../../../format/time.ts';
import { Button, CopyButton, IconButton } from '../../../kit/buttons.tsx';
import { Cost } from '../../../kit/cost.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { EmptyState, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SidePanel } from '../../../kit/side-panel.tsx';
import { notify } from '../../../kit/toast.tsx';
import { ValueView } from '../../chat/value-view.tsx';
import { stepKinds, Waterfall } from './waterfall.tsx';

interface TracePanelProps {
  conversation: ConsoleConversation;
  onClose: () => void;
}

/** The steps of one turn. The address says which turn and which step. */
export function TracePanel({ conversation, onClose }: TracePanelProps) {
  const [search, setSearch] = useSearchState();
  const { turns, messages } = conversation;
  const wanted = turns.findIndex(({ id }) => id === search['turn']);
  const index = wanted === -1 ? turns.length - 1 : wanted;
  const turn = turns[index];
  /** The log beside it moves along, to where the turn begins. */
  function show(to: number): void {
    const id = turns[to]?.id;
    const first = messages.find((message) => message.turn_id === id);
    setSearch({ turn: id, step: undefined, message: first?.id });
  }
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
              {lengthOf(turn)} · <Cost {...turn} />
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
  const trace = useRead(traceQuery, conversation.id, turn.id);
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

/** Everything about one step. */
function StepDetail({ step }: { step: ConsoleTraceStep }) {
  const { usage, cost_usd: cost, error, input, output } = step;
  const toolNameOf = useToolNames();
  const title = step.type === 'tool' || step.type === 'approval' ? toolNameOf(step.name) : step.name;
  const passages = step.type === 'retrieval' ? passagesOf(output) : undefined;
  return (
    <section aria-label={`Step: ${title}`} className="flex flex-col gap-3 border-line border-t p-4 text-sm">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 break-words font-semibold">
          {stepKinds[step.type].name} <span className="font-normal text-ink-2">{title}</span>
        </h3>
        {step.status === 'error' && <StateBadge state="danger" text="failed" />}
        <span className="ml-auto flex items-center gap-1 text-ink-3 text-xs">
          Copy JSON
          <CopyButton
            text={JSON.stringify(step, null, 2)}
            label="Copy this step as JSON"
            className="size-6"
          />
        </span>
      </header>
      <p className="flex flex-wrap gap-x-3 text-ink-3 text-xs">
        <time dateTime={step.started_at}>{exactTime(new Date(step.started_at))}</time>
        <span>{duration(step.duration_ms)}</span>
        {usage && (
          <span>
            {count(usage.input_tokens)} tokens read
            {usage.cached_input_tokens > 0 && ` (${count(usage.cached_input_tokens)} cached)`},{' '}
            {count(usage.output_tokens)} written
          </span>
        )}
        {usage && <span>{money(cost)}</span>}
      </p>
      {error && <p className="rounded-md bg-danger-tint px-3 py-2 text-danger-ink">{error}</p>}
      {input !== null && <ValueView label="Input" value={input} />}
      {passages ? (
        <Passages passages={passages} />
      ) : (
        output !== null && <ValueView label="Output" value={output} />
      )}
      {input === null && output === null && !error && (
        <p className="text-ink-3">Nothing more is known about this step.</p>
      )}
    </section>
  );
}

interface TracedPassage {
  knowledge_id?: string;
  title?: string;
  text?: string;
  content?: string;
  quote?: string;
  score?: number;
}

/** The passages of a search, if this is the output of one. */
function passagesOf(output: unknown): TracedPassage[] | undefined {
  const found = (output as { passages?: unknown } | null)?.passages;
  return Array.isArray(found) ? (found as TracedPassage[]) : undefined;
}

/** What a search found, the best first, with its scores. */
function Passages({ passages }: { passages: readonly TracedPassage[] }) {
  if (passages.length === 0) return <p className="text-ink-2">Nothing was found.</p>;
  return (
    <section aria-label="Passages">
      <h4 className="mb-1 font-medium text-ink-2 text-xs">Found</h4>
      <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
        {passages.map((passage, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a finished list, and the same passage can occur twice
          <li key={index} className="flex flex-col gap-1 px-3 py-2">
            <p className="flex items-baseline gap-2">
              <span className="text-ink-3">{index + 1}</span>
              {passage.knowledge_id ? (
                <PageLink
                  path={`/knowledge/${passage.knowledge_id}`}
                  search={passageSearch(passage.quote ?? passage.content ?? passage.text)}
                  className="min-w-0 truncate text-accent-ink hover:underline"
                >
                  {passage.title ?? 'Untitled'}
                </PageLink>
              ) : (
                <span className="min-w-0 truncate">{passage.title ?? 'Untitled'}</span>
              )}
              {passage.score !== undefined && (
                <span className="ml-auto shrink-0 text-ink-2">{passage.score.toFixed(2)}</span>
              )}
            </p>
            <p
              dir="auto"
              className="line-clamp-4 whitespace-pre-wrap break-words text-ink-2 hover:line-clamp-none"
            >
              {passage.text ?? passage.content ?? passage.quote}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
