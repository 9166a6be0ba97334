import { ApiError } from '@svc/client/api-error';
import type { AgentOverview, RunEntry } from '@svc/contract/run-history';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { CalendarDays, Play } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/client.ts';
import { agentsQuery, runHistoryQuery, startRun } from '../../api/runs.ts';
import { useFieldErrors } from '../../app/use-submit.ts';
import { PageLink, TextLink, useGo, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { serverNow } from '../../format/server-time.ts';
import { duration, exactTime } from '../../format/time.ts';
import { Button } from '../../kit/buttons.tsx';
import { Cost } from '../../kit/cost.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { Dialog } from '../../kit/dialogs.tsx';
import { Select, TextAreaField, TextField } from '../../kit/fields.tsx';
import { StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, InlineError, LoadError, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { AgentsTable } from './agents-table.tsx';
import { durationOf, reasonOf, runStates, slotState, summarizeSlots, triggerNames } from './run-states.ts';

/** Did it run, when will it run next, and why not? */
export function RunsPage() {
  const { can } = useWorkspace();
  const go = useGo();
  const [search, setSearch] = useSearchState();
  const agents = useRead(agentsQuery);
  const slotsOf = agents.data?.find(({ bot_id: id }) => id === search['slots']);
  const canRun = can('operator') && (agents.data?.length ?? 0) > 0;
  return (
    <Page
      title="Runs"
      actions={
        <>
          <Button
            icon={<CalendarDays aria-hidden />}
            onPress={() => go('/runs/calendar', { bot: search['bot'] })}
          >
            Calendar
          </Button>
          {canRun && (
            <Button
              look="primary"
              icon={<Play aria-hidden />}
              onPress={() => setSearch({ run: search['bot'] ?? 'choose' })}
            >
              Run now
            </Button>
          )}
        </>
      }
    >
      {agents.isPending && <RowsLoading rows={3} />}
      {agents.isError && <LoadError query={agents} />}
      {agents.data?.length === 0 && <NoAgents />}
      {agents.data && agents.data.length > 0 && (
        <>
          <AgentsTable
            agents={agents.data}
            onRun={(agent) => setSearch({ run: agent.bot_id })}
            onSlots={(agent) => setSearch({ slots: agent.bot_id })}
          />
          <History />
        </>
      )}
      {canRun && search['run'] !== undefined && (
        <RunNowDialog
          agents={agents.data ?? []}
          botId={search['run']}
          onClose={() => setSearch({ run: undefined })}
        />
      )}
      {slotsOf && <SlotsDialog agent={slotsOf} onClose={() => setSearch({ slots: undefined })} />}
    </Page>
  );
}

function NoAgents() {
  const { can } = useWorkspace();
  const go = useGo();
  return (
    <EmptyState
      icon={<Play aria-hidden />}
      title="No Autonomous Agents yet"
      action={
        can('operator') && (
          <Button look="primary" onPress={() => go('/bots/new', { type: 'agent' })}>
            New bot
          </Button>
        )
      }
    >
      An Autonomous Agent pursues a goal on its own, on a schedule or when it is started: “Every morning,
      order what is running low.”
    </EmptyState>
  );
}

function History() {
  const { api } = useWorkspace();
  const [{ bot, status, trigger }] = useSearchState();
  const history = useInfiniteQuery(runHistoryQuery(api, { bot_id: bot, status, trigger }));
  const entries = history.data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = [bot, status, trigger].some((value) => value !== undefined);
  return (
    <section aria-labelledby="run-history">
      <h2 id="run-history" className="px-4 pt-6 font-semibold md:px-6">
        History
      </h2>
      <HistoryFilters />
      {history.isPending && <RowsLoading />}
      {history.isError && <LoadError query={history} className="px-4 md:px-6" />}
      {history.isSuccess && entries.length === 0 && (
        <EmptyState title={isFiltered ? 'No run matches these filters' : 'Nothing has run yet'}>
          {isFiltered ? 'Clear a filter to see more.' : 'Run an agent now, or wait for its next slot.'}
        </EmptyState>
      )}
      {entries.length > 0 && <HistoryTable entries={entries} />}
      <ShowMore list={history} label="Show older runs" />
    </section>
  );
}

/** An option of a list cannot have an empty value. */
const any = 'any';

function HistoryFilters() {
  const [{ bot, status, trigger }, setSearch] = useSearchState();
  const agents = useRead(agentsQuery).data ?? [];
  const isFiltered = [bot, status, trigger].some((value) => value !== undefined);
  return (
    <div className="flex flex-wrap items-end gap-2 px-4 py-3 md:px-6">
      <Filter
        name="bot"
        label="Autonomous Agent"
        all="Every agent"
        options={agents.map(({ bot_id, name }) => ({ value: bot_id, label: name }))}
      />
      <Filter
        name="status"
        label="State"
        all="Every state"
        options={Object.entries(runStates).map(([value, { text }]) => ({ value, label: text }))}
      />
      <Filter
        name="trigger"
        label="Started by"
        all="Started in any way"
        options={Object.entries(triggerNames).map(([value, label]) => ({ value, label }))}
      />
      {isFiltered && (
        <Button
          look="quiet"
          onPress={() => setSearch({ bot: undefined, status: undefined, trigger: undefined }, { push: true })}
        >
          Clear
        </Button>
      )}
    </div>
  );
}

interface FilterProps {
  /** In the address. */
  name: string;
  label: string;
  all: string;
  options: { value: string; label: string }[];
}

function Filter({ name, label, all, options }: FilterProps) {
  const [search, setSearch] = useSearchState();
  return (
    <Select
      label={label}
      hideLabel
      className="w-48 max-sm:min-w-[45%] max-sm:flex-1"
      options={[{ value: any, label: all }, ...options]}
      value={search[name] ?? any}
      onChange={(next) => setSearch({ [name]: next === any ? undefined : next }, { push: true })}
    />
  );
}

const columns: readonly Column<RunEntry>[] = [
  { title: 'Autonomous Agent', cell: (entry) => <EntryName entry={entry} /> },
  { title: 'State', cell: (entry) => <EntryState entry={entry} /> },
  { title: 'Started', cell: (entry) => <TimeAgo at={entry.at} className="whitespace-nowrap" /> },
  {
    title: 'By',
    isSecondary: true,
    cell: (entry) => <span className="text-ink-2">{triggerNames[entry.trigger]}</span>,
  },
  {
    title: 'Took',
    isNumber: true,
    isSecondary: true,
    className: 'whitespace-nowrap',
    cell: (entry) => {
      const milliseconds = durationOf(entry, serverNow());
      return milliseconds === undefined ? '–' : duration(milliseconds);
    },
  },
  {
    title: 'Cost',
    isNumber: true,
    isSecondary: true,
    cell: (entry) => (entry.kind === 'slot' ? '–' : <Cost {...entry} />),
  },
  {
    title: 'Reason or instructions',
    isSecondary: true,
    className: 'max-w-0 w-1/3',
    cell: (entry) => {
      const text = reasonOf(entry);
      return (
        <span className="block truncate text-ink-2" title={text}>
          {text}
        </span>
      );
    },
  },
];

function HistoryTable({ entries }: { entries: readonly RunEntry[] }) {
  return <DataTable label="Runs" columns={columns} rows={entries} keyOf={({ id }) => id} />;
}

function EntryName({ entry }: { entry: RunEntry }) {
  const reason = reasonOf(entry);
  return (
    <>
      {entry.conversation_id ? (
        <PageLink path={`/conversations/${entry.conversation_id}`} className="font-medium hover:underline">
          {entry.bot_name}
        </PageLink>
      ) : (
        <span className="font-medium">{entry.bot_name}</span>
      )}
      {reason && <span className="line-clamp-2 text-ink-2 text-xs md:hidden">{reason}</span>}
    </>
  );
}

function EntryState({ entry }: { entry: RunEntry }) {
  const { state, text } = runStates[entry.status];
  const isOpen = entry.status === 'running' || entry.status === 'paused';
  const shown = isOpen ? `${text} ${entry.iterations}/${entry.max_iterations}` : text;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <StateBadge state={state} text={shown} />
      {entry.webhook?.status === 'failed' && <StateBadge state="warning" text="Webhook failed" />}
    </span>
  );
}

/** The last slots of an agent, one by one, with what became of each. */
function SlotsDialog({ agent, onClose }: { agent: AgentOverview; onClose: () => void }) {
  return (
    <Dialog
      title={`Latest scheduled runs of ${agent.name}`}
      onClose={onClose}
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <p className="mb-3 text-ink-2">
        {agent.description ?? 'It has no schedule.'} {summarizeSlots(agent.recent)}.{' '}
        <TextLink path={`/bots/${agent.bot_id}/schedule`} className="underline-offset-2">
          Open the schedule
        </TextLink>
      </p>
      <ul className="flex flex-col">
        {agent.recent.map((slot) => {
          const { state, text } = slotState(slot);
          return (
            <li key={slot.slot_at} className="flex flex-col gap-0.5 border-line border-t py-2">
              <span className="flex flex-wrap items-center justify-between gap-2">
                <span>{exactTime(new Date(slot.slot_at))}</span>
                <StateBadge state={state} text={text} />
              </span>
              {slot.reason && <span className="text-ink-2 text-sm">{slot.reason}</span>}
              {slot.conversation_id && (
                <TextLink
                  path={`/conversations/${slot.conversation_id}`}
                  className="w-fit text-sm underline-offset-2"
                >
                  Open the run
                </TextLink>
              )}
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}

interface RunNowDialogProps {
  agents: readonly AgentOverview[];
  /** The agent to run; any other text lets the person choose one. */
  botId: string;
  onClose: () => void;
}

/** Starts a run with instructions. An agent that runs already is opened instead. */
function RunNowDialog({ agents, botId, onClose }: RunNowDialogProps) {
  const { api } = useWorkspace();
  const go = useGo();
  const client = useQueryClient();
  const choices = agents.filter(({ status }) => status === 'active');
  const [chosen, setChosen] = useState(
    choices.some(({ bot_id: id }) => id === botId) ? botId : choices.length === 1 ? choices[0]?.bot_id : null,
  );
  const [instructions, setInstructions] = useState('');
  const [iterations, setIterations] = useState('');
  const agent = choices.find(({ bot_id: id }) => id === chosen);
  const limit = Number(iterations);
  const isLimitWrong = iterations !== '' && !(Number.isInteger(limit) && limit > 0);

  const start = useMutation({
    mutationFn: (id: string) =>
      startRun(api, id, {
        ...(instructions.trim() !== '' && { payload: instructions }),
        ...(iterations !== '' && { max_iterations: limit }),
      }),
    onSuccess(conversationId) {
      void client.invalidateQueries({ queryKey: keys.lists(api, 'run') });
      const open = { label: 'Open', run: () => go(`/conversations/${conversationId}`) };
      notify({ text: `${agent?.name ?? 'The agent'} is running.`, action: open });
      onClose();
    },
    // Where the agent turns out to be busy, its row is out of date; once it is read, it says so until the run is over.
    async onError(error) {
      await client.invalidateQueries({ queryKey: keys.lists(api, 'run') });
      if (error instanceof ApiError && error.code === 'RUN_IN_PROGRESS') start.reset();
    },
  });
  const running = agent?.open_run?.conversation_id;
  const { at, error } = useFieldErrors(start.error, { payload: instructions });

  return (
    <Dialog
      title={agent && botId === agent.bot_id ? `Run ${agent.name}` : 'Run an Autonomous Agent'}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          {running ? (
            <Button look="primary" onPress={() => go(`/conversations/${running}`)}>
              Open the run
            </Button>
          ) : (
            <Button
              look="primary"
              icon={<Play aria-hidden />}
              isBusy={start.isPending}
              isDisabled={!agent?.has_goal || isLimitWrong}
              onPress={() => agent && start.mutate(agent.bot_id)}
            >
              Run now
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Select
          label="Autonomous Agent"
          options={choices.map((one) => ({ value: one.bot_id, label: one.name }))}
          value={chosen ?? null}
          onChange={(id) => {
            setChosen(id);
            start.reset();
          }}
          placeholder="Choose one"
        />
        {agent?.open_run && <Busy run={agent.open_run} />}
        {agent && !agent.has_goal && (
          <p className="text-danger-ink text-sm">
            {agent.name} has no goal, so there is nothing to run.{' '}
            <TextLink path={`/bots/${agent.bot_id}/prompt`}>Write its goal</TextLink>
          </p>
        )}
        {!running && (
          <>
            <TextAreaField
              label="Instructions for this run"
              description="Added to the goal of the agent. Optional."
              placeholder="Only the orders of today."
              value={instructions}
              onChange={setInstructions}
              error={at('payload')}
            />
            <TextField
              label="At most this many iterations"
              description="Empty: the limit of the agent."
              inputMode="numeric"
              className="max-w-56"
              value={iterations}
              onChange={setIterations}
              error={isLimitWrong ? 'Must be a whole number above zero.' : undefined}
            />
          </>
        )}
        {error !== undefined && !running && <InlineError error={error} />}
      </div>
    </Dialog>
  );
}

function Busy({ run }: { run: NonNullable<AgentOverview['open_run']> }) {
  const { state, text } = runStates[run.status];
  return (
    <p className="flex flex-wrap items-center gap-2 rounded-md bg-sunken px-3 py-2">
      <StateBadge state={state} text={text} />
      <span className="text-ink-2">
        since <TimeAgo at={run.started_at} />. One run at a time: wait for it, or open it to stop it.
      </span>
    </p>
  );
}
