import { ApiError } from '@svc/client/api-error';
import type { AgentOverview } from '@svc/contract/run-history';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/client.ts';
import { startRun } from '../../api/runs.ts';
import { useGo, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Dialog } from '../../kit/dialogs.tsx';
import { Select, TextAreaField, TextField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { notify } from '../../kit/toast.tsx';
import { runStates } from './run-states.ts';

interface RunNowDialogProps {
  agents: readonly AgentOverview[];
  /** The agent to run; any other text lets the person choose one. */
  botId: string;
  onClose: () => void;
}

/** Starts a run with instructions. An agent that runs already is opened instead. */
export function RunNowDialog({ agents, botId, onClose }: RunNowDialogProps) {
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

  return (
    <Dialog
      title={agent && botId === agent.bot_id ? `Run ${agent.name}` : 'Run an autonomous agent'}
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
          label="Autonomous agent"
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
          <p className="text-danger-ink text-sm">{agent.name} has no goal yet: it has nothing to run.</p>
        )}
        {!running && (
          <>
            <TextAreaField
              label="Instructions for this run"
              description="Added to the goal of the agent. Optional."
              placeholder="Only the orders of today."
              value={instructions}
              onChange={setInstructions}
              error={start.error instanceof ApiError ? start.error.at('payload') : undefined}
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
        {start.isError && !running && <InlineError error={start.error} />}
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
