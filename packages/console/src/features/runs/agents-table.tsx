import type { AgentOverview } from '@svc/contract/run-history';
import { Play } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { PageLink } from '../../app/page-links.tsx';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { Button } from '../../kit/button.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { runStates, summarizeSlots } from './run-states.ts';
import { SlotStrip } from './slot-strip.tsx';

interface AgentsTableProps {
  agents: readonly AgentOverview[];
  onRun: (agent: AgentOverview) => void;
  onSlots: (agent: AgentOverview) => void;
}

/** Every agent: when it runs next, what became of its last slots, and whether it runs now. */
export function AgentsTable({ agents, onRun, onSlots }: AgentsTableProps) {
  const { can } = useWorkspace();
  const columns: Column<AgentOverview>[] = [
    {
      id: 'name',
      title: 'Autonomous agent',
      cell: (agent) => (
        <>
          <PageLink path={`/bots/${agent.bot_id}/schedule`} className="font-medium hover:underline">
            {agent.name}
          </PageLink>
          <span className="block md:hidden">
            <LastSlots agent={agent} onOpen={() => onSlots(agent)} />
          </span>
        </>
      ),
    },
    {
      id: 'schedule',
      title: 'Schedule',
      isSecondary: true,
      cell: (agent) => <span className="text-ink-2">{agent.description ?? 'Only when started'}</span>,
    },
    { id: 'next', title: 'Next', cell: (agent) => <NextRun agent={agent} /> },
    {
      id: 'slots',
      title: 'Last slots',
      isSecondary: true,
      cell: (agent) => <LastSlots agent={agent} onOpen={() => onSlots(agent)} />,
    },
    ...(can('operator')
      ? [
          {
            id: 'run',
            title: 'Start',
            isNumber: true,
            cell: (agent: AgentOverview) => (
              <Button
                size="small"
                icon={<Play aria-hidden />}
                aria-label={`Run ${agent.name}`}
                isDisabled={agent.status !== 'active'}
                onPress={() => onRun(agent)}
              >
                Run
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <DataTable
      label="Autonomous agents"
      columns={columns}
      rows={agents}
      keyOf={({ bot_id }) => bot_id}
      isLinked={false}
    />
  );
}

function NextRun({ agent }: { agent: AgentOverview }) {
  const { open_run: open } = agent;
  if (open) {
    const { state, text } = runStates[open.status];
    return (
      <PageLink path={`/conversations/${open.conversation_id}`} className="hover:underline">
        <StateBadge state={state} text={`${text} ${open.iterations}/${open.max_iterations}`} />
      </PageLink>
    );
  }
  if (agent.status !== 'active') return <span className="text-ink-3">Inactive</span>;
  if (!agent.has_goal) return <span className="text-ink-3">Has no goal</span>;
  return agent.next_run_at ? <TimeAgo at={agent.next_run_at} /> : <span className="text-ink-3">–</span>;
}

function LastSlots({ agent, onOpen }: { agent: AgentOverview; onOpen: () => void }) {
  if (agent.recent.length === 0) return <span className="text-ink-3">–</span>;
  return (
    <AriaButton
      onPress={onOpen}
      aria-label={`Last ${agent.recent.length} slots of ${agent.name}: ${summarizeSlots(agent.recent)}`}
      className="rounded-sm px-1 py-1.5 data-hovered:bg-hover"
    >
      <SlotStrip slots={agent.recent} />
    </AriaButton>
  );
}
