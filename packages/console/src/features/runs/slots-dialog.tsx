import type { AgentOverview } from '@svc/contract/run-history';
import { TextLink } from '../../app/workspace.tsx';
import { exactTime } from '../../format/time.ts';
import { Button } from '../../kit/buttons.tsx';
import { Dialog } from '../../kit/dialogs.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { slotState, summarizeSlots } from './run-states.ts';

/** The last slots of an agent, one by one, with what became of each. */
export function SlotsDialog({ agent, onClose }: { agent: AgentOverview; onClose: () => void }) {
  return (
    <Dialog
      title={`Last slots of ${agent.name}`}
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
