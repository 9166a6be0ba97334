import { rulesOf } from '@svc/contract/channels';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { hasRole } from '@svc/contract/roles';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { AlarmClock, Check, ChevronDown, Hand, RotateCcw, UserRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { keys } from '../../../api/client.ts';
import { changeConversation, type InboxChange } from '../../../api/conversations.ts';
import { membersQuery } from '../../../api/members.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { serverNow } from '../../../format/server-time.ts';
import { plannedTime } from '../../../format/time.ts';
import { Button } from '../../../kit/buttons.tsx';
import { NameText } from '../../../kit/labels.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { snoozeTimes } from './snooze-times.ts';

/** Changes a conversation, and reads the lists again, where it may not belong any more. */
export function useInboxChange(id: string) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: InboxChange) => changeConversation(api, id, change),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.lists(api, 'conversation') }),
  });
}

/** Open again once the time has come, of which no event tells. */
function useStateNow({ state, snoozed_until: until }: ConsoleConversation): ConsoleConversation['state'] {
  const [woken, setWoken] = useState<string>();
  const wakesAt = state === 'snoozed' ? until : null;
  useEffect(() => {
    if (wakesAt === null) return undefined;
    const wait = Math.max(Date.parse(wakesAt) - serverNow(), 0) + 500;
    const timer = setTimeout(() => setWoken(wakesAt), Math.min(wait, longestTimer));
    return () => clearTimeout(timer);
  }, [wakesAt]);
  return wakesAt !== null && woken === wakesAt ? 'open' : state;
}

/** Browsers take no longer ones. */
const longestTimer = 2_147_483_647;

/** The member who sees to a conversation, and whether it is done. */
export function InboxBar({ conversation }: { conversation: ConsoleConversation }) {
  const { can, user } = useWorkspace();
  const { id, channel, needs_human: needsHuman, assignee, snoozed_until: until } = conversation;
  const state = useStateNow(conversation);
  const members = useRead(membersQuery).data ?? [];
  const change = useInboxChange(id);
  const canTakeOver = rulesOf(channel).continuedByUser;
  const isMine = assignee === user.id;
  // Tests are the team's own.
  if (channel === 'test') return null;
  const name = members.find((member) => member.id === assignee)?.name ?? 'A former member';
  const owner = isMine ? 'You' : name;
  if (!can('operator')) {
    if (assignee === null) return null;
    return (
      <p className="text-ink-2 text-sm">
        Assigned to <NameText text={owner} />
      </p>
    );
  }
  const others = members.filter((member) => member.id !== user.id && hasRole(member.role, 'operator'));
  return (
    <div className="flex flex-wrap items-center gap-2 pt-1.5">
      <Menu
        label="Assign to"
        placement="bottom start"
        entries={[
          !isMine && { id: user.id, label: 'Me', onAction: () => change.mutate({ assignee: user.id }) },
          ...others.map((member) => ({
            id: member.id,
            label: member.name,
            onAction: () => change.mutate({ assignee: member.id }),
          })),
          assignee !== null && {
            id: 'nobody',
            label: 'Nobody',
            isFirstOfGroup: true,
            onAction: () => change.mutate({ assignee: null }),
          },
        ]}
      >
        <Button size="small" icon={<UserRound aria-hidden />}>
          {assignee === null ? (
            'Assign'
          ) : (
            <span className="max-w-32 truncate">
              <span className="sr-only">Assigned to </span>
              <NameText text={owner} />
            </span>
          )}
          <ChevronDown aria-hidden />
        </Button>
      </Menu>
      {state === 'open' && (
        <Menu
          label="Snooze until"
          placement="bottom start"
          entries={snoozeTimes(new Date(serverNow())).map(({ label, at }) => ({
            label,
            description: plannedTime(at),
            onAction: () => change.mutate({ state: 'snoozed', snoozed_until: at.toISOString() }),
          }))}
        >
          <Button size="small" icon={<AlarmClock aria-hidden />}>
            <span className="max-sm:sr-only">Snooze</span>
          </Button>
        </Menu>
      )}
      {state !== 'resolved' && (
        <Button
          size="small"
          icon={<Check aria-hidden />}
          onPress={() => change.mutate({ state: 'resolved' })}
        >
          <span className="max-sm:sr-only">Resolve</span>
        </Button>
      )}
      {state !== 'open' && (
        <Button
          size="small"
          icon={<RotateCcw aria-hidden />}
          onPress={() => change.mutate({ state: 'open' })}
        >
          Reopen
        </Button>
      )}
      {canTakeOver && (needsHuman === null || assignee === null) && (
        <Button
          size="small"
          icon={<Hand aria-hidden />}
          isBusy={change.isPending}
          onPress={() => change.mutate({ needs_human: { reason: '' } })}
        >
          Take over
        </Button>
      )}
      {state === 'snoozed' && until && (
        <span className="text-ink-3 text-sm">Snoozed until {plannedTime(new Date(until))}</span>
      )}
      {change.isSuccess && change.variables.needs_human && <TakenFrom conversation={conversation} />}
      {change.error && <InlineError error={change.error} />}
    </div>
  );
}

const aMoment = 60_000;

/** Tells somebody who took over that a colleague had done so while they pressed the button. */
function TakenFrom({ conversation: { notes } }: { conversation: ConsoleConversation }) {
  const { user } = useWorkspace();
  const [before, own] = notes.filter(({ kind }) => kind === 'taken_over' || kind === 'handed_back').slice(-2);
  if (own?.kind !== 'taken_over' || own.author_id !== user.id) return null;
  if (before?.kind !== 'taken_over' || before.author_id === user.id || before.author_name === null)
    return null;
  if (Date.parse(own.created_at) - Date.parse(before.created_at) > aMoment) return null;
  return (
    <p role="status" className="basis-full text-paused-ink text-sm">
      <NameText text={before.author_name} /> had taken over just before you. It is assigned to you now.
    </p>
  );
}
