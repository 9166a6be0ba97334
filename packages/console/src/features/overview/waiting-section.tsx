import type { ApprovalDetail } from '@svc/contract/approvals';
import type { ListedConversation, Overview } from '@svc/contract/console-conversations';
import { CircleCheck } from 'lucide-react';
import { serverNow } from '../../format/server-time.ts';
import { clockTime, dayOf } from '../../format/time.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { ItemRow } from './item-row.tsx';
import { Section } from './section.tsx';
import { WaitingApproval } from './waiting-approval.tsx';

interface WaitingSectionProps {
  approvals: readonly ApprovalDetail[];
  overview: Overview;
}

type Item = { at: string } & ({ approval: ApprovalDetail } | { handoff: ListedConversation });

/** What waits for a person, the longest-waiting first. */
export function WaitingSection({ approvals, overview }: WaitingSectionProps) {
  const { handoffs, waiting, quiet_since: quietSince } = overview;
  const items: Item[] = [
    ...approvals.map((approval) => ({ at: approval.created_at, approval })),
    ...handoffs.map((handoff) => ({ at: handoff.needs_human?.at ?? handoff.created_at, handoff })),
  ].toSorted((one, other) => one.at.localeCompare(other.at));
  const [oldest] = items;
  if (!oldest) {
    return (
      <Section title="Waiting for you">
        <p className="flex items-center gap-2 px-4 pb-4 text-ink-2 md:px-6">
          <CircleCheck aria-hidden className="size-4 text-success" />
          {quietSince ? `All quiet since ${sinceWhen(new Date(quietSince))}` : 'All quiet'}
        </p>
      </Section>
    );
  }
  return (
    <Section
      title="Waiting for you"
      note={
        <>
          {waiting.approvals + waiting.handoffs} · oldest <TimeAgo at={oldest.at} />
        </>
      }
    >
      <ul>
        {items.map((item) =>
          'approval' in item ? (
            <WaitingApproval key={item.approval.id} approval={item.approval} />
          ) : (
            handoffRow(item.handoff)
          ),
        )}
      </ul>
    </Section>
  );
}

function handoffRow({
  id,
  title,
  bot_name: bot,
  needs_human: needsHuman,
  created_at: begun,
}: ListedConversation) {
  return (
    <ItemRow
      key={id}
      state="paused"
      stateText="Wants a person"
      title={title || 'Conversation'}
      owner={bot}
      detail={needsHuman?.reason}
      at={needsHuman?.at ?? begun}
      path={`/conversations/${id}`}
    />
  );
}

function sinceWhen(date: Date): string {
  const isToday = date.toDateString() === new Date(serverNow()).toDateString();
  return isToday ? clockTime(date) : dayOf(date);
}
