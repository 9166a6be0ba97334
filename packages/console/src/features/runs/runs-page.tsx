import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CalendarDays, Play } from 'lucide-react';
import { agentsQuery, runHistoryQuery } from '../../api/runs.ts';
import { useGo, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { AgentsTable } from './agents-table.tsx';
import { HistoryFilters } from './history-filters.tsx';
import { HistoryTable } from './history-table.tsx';
import { RunNowDialog } from './run-now-dialog.tsx';
import { SlotsDialog } from './slots-dialog.tsx';

/** Did it run, when will it run next, and why not? */
export function RunsPage() {
  const { api, can } = useWorkspace();
  const go = useGo();
  const [search, setSearch] = useSearchState();
  const agents = useQuery(agentsQuery(api));
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
      title="No autonomous agents yet"
      action={
        can('operator') && (
          <Button look="primary" onPress={() => go('/bots/new', { type: 'agent' })}>
            New bot
          </Button>
        )
      }
    >
      An autonomous agent pursues a goal on its own, on a schedule or when it is started: “Every morning,
      order what is running low.”
    </EmptyState>
  );
}

function History() {
  const { api } = useWorkspace();
  const [search, setSearch] = useSearchState();
  const { bot, status, trigger } = search;
  const agents = useQuery(agentsQuery(api));
  const history = useInfiniteQuery(runHistoryQuery(api, { bot_id: bot, status, trigger }));
  const entries = history.data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = [bot, status, trigger].some((value) => value !== undefined);
  return (
    <section aria-labelledby="run-history">
      <h2 id="run-history" className="px-4 pt-6 font-semibold md:px-6">
        History
      </h2>
      <HistoryFilters
        filter={{ bot, status, trigger }}
        agents={agents.data ?? []}
        onChange={(change) => setSearch({ ...change }, { push: true })}
      />
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
