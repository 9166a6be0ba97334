import type { AgentOverview } from '@svc/contract/run-history';
import { Play } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { PageLink, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { type State, StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { runStates, type Slot, slotState, summarizeSlots } from './run-states.ts';

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
      title: 'Autonomous Agent',
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
      title: 'Schedule',
      isSecondary: true,
      cell: (agent) => <span className="text-ink-2">{agent.description ?? 'Only when started'}</span>,
    },
    { title: 'Next', cell: (agent) => <NextRun agent={agent} /> },
    {
      title: 'Latest scheduled runs',
      isSecondary: true,
      cell: (agent) => <LastSlots agent={agent} onOpen={() => onSlots(agent)} />,
    },
    ...(can('operator')
      ? [
          {
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
      label="Autonomous Agents"
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
  if (!agent.has_goal)
    return (
      <PageLink path={`/bots/${agent.bot_id}/prompt`} className="hover:underline">
        <StateBadge state="warning" text="Has no goal" />
      </PageLink>
    );
  return agent.next_run_at ? <TimeAgo at={agent.next_run_at} /> : <span className="text-ink-3">–</span>;
}

function LastSlots({ agent, onOpen }: { agent: AgentOverview; onOpen: () => void }) {
  if (agent.recent.length === 0) return <span className="text-ink-3">–</span>;
  return (
    <AriaButton
      onPress={onOpen}
      aria-label={`Latest scheduled runs of ${agent.name}: ${summarizeSlots(agent.recent)}`}
      className="rounded-sm px-1 py-1.5 data-hovered:bg-hover"
    >
      <SlotStrip slots={agent.recent} />
    </AriaButton>
  );
}

/** Filled, ringed or crossed, so that they differ without color. */
const looks: Record<State, string> = {
  success: 'bg-success',
  danger:
    'bg-danger [background-image:linear-gradient(45deg,transparent_42%,var(--color-surface)_42%_58%,transparent_58%)]',
  warning: 'bg-warning [clip-path:polygon(50%_0,100%_100%,0_100%)]',
  running: 'border-2 border-running motion-safe:animate-pulse',
  paused: 'border-2 border-paused bg-paused-tint',
  unknown: 'bg-line-strong',
  info: 'border border-line-strong bg-sunken',
  idle: 'bg-line',
};

/** The last slots as squares, the newest at the end. What they mean is said by the control around them. */
function SlotStrip({ slots }: { slots: readonly Slot[] }) {
  return (
    <span aria-hidden className="flex flex-wrap gap-0.5">
      {slots.toReversed().map((slot) => {
        const { state, text } = slotState(slot);
        return (
          <span
            key={slot.slot_at}
            title={`${new Date(slot.slot_at).toLocaleString()}: ${text}`}
            className={classes('size-3 rounded-[3px] forced-color-adjust-none', looks[state])}
          />
        );
      })}
    </span>
  );
}
