import type { ApprovalDetail } from '@svc/contract/approvals';
import type {
  FailedItem,
  ListedConversation,
  Overview,
  RunningItem,
} from '@svc/contract/console-conversations';
import { plainText } from '@svc/markdown/plain-text';
import { ChevronRight, Circle, CircleCheck } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { pendingApprovalsQuery } from '../../api/approvals.ts';
import { overviewQuery } from '../../api/overview.ts';
import { PageLink, type Search, useRead, useWorkspace } from '../../app/workspace.tsx';
import { today as dayInUtc } from '../../format/days.ts';
import { money, plural } from '../../format/numbers.ts';
import { serverNow } from '../../format/server-time.ts';
import { clockTime, dayOf } from '../../format/time.ts';
import { classes } from '../../kit/classes.ts';
import { Cost } from '../../kit/cost.tsx';
import { NameText, type State, StateBadge, StateIcon, TimeAgo } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { Bar, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { callInOneLine } from '../approvals/changed-arguments.ts';
import { isWaiting } from '../conversations/conversation-status.ts';
import { jobName } from '../settings/system/job-names.ts';

/** Is anything waiting, running or broken? */
export function OverviewPage() {
  const overview = useRead(overviewQuery);
  const approvals = useRead(pendingApprovalsQuery);
  // Before there is a bot, nothing else can be here.
  const isFirstDay = overview.data?.setup.bot === false;
  const failed = overview.isError ? overview : approvals.isError ? approvals : undefined;
  return (
    <Page title="Overview">
      {failed && <LoadError query={failed} />}
      {overview.data && approvals.data ? (
        <div className="bg-surface">
          {isFirstDay && <SetUpList setup={overview.data.setup} />}
          <ForYouSection conversations={overview.data.for_you ?? []} />
          <WaitingSection approvals={approvals.data} overview={overview.data} />
          <div className="xl:grid xl:grid-cols-2 xl:divide-x xl:divide-line">
            <RunningSection items={overview.data.running} count={overview.data.running_count} />
            <FailedSection items={overview.data.failed} count={overview.data.failed_count} />
          </div>
          <TodayLine today={overview.data.today} balance={overview.data.balance} />
          {!isFirstDay && <SetUpList setup={overview.data.setup} />}
        </div>
      ) : (
        !failed && <RowsLoading rows={6} />
      )}
    </Page>
  );
}

/** What today, a day of UTC as in the usage, was like so far, in one line; each number leads to what is behind it. */
function TodayLine({ today, balance }: Pick<Overview, 'today' | 'balance'>) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3 text-ink-2 tabular-nums md:px-6">
      <span className="font-semibold text-ink">Today</span>
      <PageLink
        path="/conversations"
        search={{ from: `${dayInUtc()}T00:00:00.000Z` }}
        className="hover:underline"
      >
        {plural(today.conversations, 'conversation')}
      </PageLink>
      <span aria-hidden>·</span>
      <PageLink path="/usage" className="hover:underline">
        <Cost {...today} />
      </PageLink>
      {balance?.is_low && (
        <PageLink path="/usage" className="ml-auto hover:underline">
          <StateBadge
            state="warning"
            text={`${money(balance.left_usd)} of ${money(balance.credit_usd)} left`}
            isFilled
          />
        </PageLink>
      )}
    </p>
  );
}

/** What is assigned to the member and not answered, and where somebody mentions them. */
function ForYouSection({ conversations }: { conversations: readonly ListedConversation[] }) {
  const { user } = useWorkspace();
  if (conversations.length === 0) return null;
  return (
    <Section title="For you" note={conversations.length}>
      <ul>
        {conversations.map((conversation) => {
          const { id, title, bot_name: bot, preview, unread_mentions: mentions } = conversation;
          const isMentioned = mentions?.includes(user.id);
          return (
            <ItemRow
              key={id}
              state={isWaiting(conversation) ? 'paused' : 'info'}
              title={title || 'Conversation'}
              stateText={isMentioned ? 'Mentions you' : 'Assigned to you'}
              isStateShown
              owner={bot}
              detail={preview && plainText(preview)}
              at={conversation.last_message_at ?? conversation.created_at}
              path={`/conversations/${id}`}
            />
          );
        })}
      </ul>
    </Section>
  );
}

interface WaitingSectionProps {
  approvals: readonly ApprovalDetail[];
  overview: Overview;
}

type Item = { at: string } & ({ approval: ApprovalDetail } | { handoff: ListedConversation });

/** What waits for a person, the longest-waiting first. */
function WaitingSection({ approvals, overview }: WaitingSectionProps) {
  const { waiting, quiet_since: quietSince, for_you: forYou = [] } = overview;
  const own = new Set(forYou.map(({ id }) => id));
  const handoffs = overview.handoffs.filter(({ id }) => !own.has(id));
  const count = waiting.approvals + waiting.handoffs - (overview.handoffs.length - handoffs.length);
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
          {own.size > 0
            ? 'Nothing else waits'
            : `All quiet${quietSince ? ` since ${sinceWhen(new Date(quietSince))}` : ''}`}
        </p>
      </Section>
    );
  }
  return (
    <Section
      title="Waiting for you"
      note={
        <>
          {count} · oldest <TimeAgo at={oldest.at} />
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
  latest_act: act,
  preview,
  created_at: begun,
}: ListedConversation) {
  return (
    <ItemRow
      key={id}
      state="paused"
      stateText="Wants a person"
      title={title || 'Conversation'}
      owner={bot}
      detail={act === 'user' ? preview && plainText(preview) : needsHuman?.reason}
      at={needsHuman?.at ?? begun}
      path={`/conversations/${id}`}
    />
  );
}

function sinceWhen(date: Date): string {
  const isToday = date.toDateString() === new Date(serverNow()).toDateString();
  return isToday ? clockTime(date) : dayOf(date);
}

const ApprovalCard = lazy(async () => ({
  default: (await import('../approvals/approval-card.tsx')).ApprovalCard,
}));

/** A call that waits for a decision. A press shows all of it below, where it is answered. */
function WaitingApproval({ approval }: { approval: ApprovalDetail }) {
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  return (
    <li className="border-line border-t first:border-t-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
        className={classes(itemRow, 'w-full text-left')}
      >
        <RowParts
          state="paused"
          stateText="Waits for approval"
          title={approval.title ?? approval.tool_name}
          owner={approval.bot_name ?? null}
          detail={callInOneLine(approval)}
          at={approval.created_at}
        />
        <ChevronRight
          aria-hidden
          className={classes('size-4 shrink-0 text-ink-3 transition', isOpen && 'rotate-90')}
        />
      </button>
      {isOpen && (
        <div id={details} className="border-line border-t bg-canvas px-4 py-4 md:px-6">
          <Suspense fallback={<Bar className="h-24 w-full" />}>
            <ApprovalCard approval={approval} />
          </Suspense>
        </div>
      )}
    </li>
  );
}

const nothing = 'px-4 pb-4 text-ink-3 md:px-6';

function RunningSection({ items, count }: { items: Overview['running']; count: number }) {
  return (
    <Section title="Running now" note={count > 0 && count}>
      {items.length === 0 ? (
        <p className={nothing}>Nothing is running.</p>
      ) : (
        <ul>
          {items.map((item) => (
            <ItemRow
              key={item.id}
              state="running"
              stateText={runningNames[item.kind]}
              title={
                item.kind === 'evaluation'
                  ? `Evaluation, ${item.title.toLowerCase()}`
                  : item.title || 'Conversation'
              }
              owner={item.bot_name}
              detail={progressOf(item)}
              at={item.started_at}
              {...pageOf(item)}
            />
          ))}
        </ul>
      )}
      <More count={count} shown={items.length} />
    </Section>
  );
}

function FailedSection({ items, count }: { items: Overview['failed']; count: number }) {
  return (
    <Section title="Went wrong" note={count > 0 ? `${count} in 24 hours` : 'in 24 hours'}>
      {items.length === 0 ? (
        <p className={nothing}>Nothing went wrong.</p>
      ) : (
        <ul>
          {items.map((item) => (
            <ItemRow
              key={`${item.kind} ${item.id}`}
              state={item.kind === 'turn' || item.kind === 'run' ? 'danger' : 'warning'}
              stateText="Failed"
              title={item.kind === 'job' ? jobName(item.title) : item.title || 'Conversation'}
              owner={item.bot_name}
              detail={item.kind === 'webhook' ? `Webhook: ${item.reason}` : item.reason}
              at={item.at}
              {...pageOf(item)}
            />
          ))}
        </ul>
      )}
      <More count={count} shown={items.length} />
    </Section>
  );
}

function More({ count, shown }: { count: number; shown: number }) {
  if (count <= shown) return null;
  return <p className="px-4 py-2 text-ink-3 text-sm md:px-6">and {plural(count - shown, 'other')}</p>;
}

const runningNames: Record<RunningItem['kind'], string> = {
  turn: 'Answering',
  run: 'Running',
  evaluation: 'Evaluating',
  knowledge: 'Reading',
};

function progressOf({ kind, done, of }: RunningItem): string | undefined {
  if (done === null || of === null) return undefined;
  if (kind === 'knowledge') return `${Math.round(done * 100)} %`;
  return kind === 'run' ? `step ${done} of at most ${of}` : `${done} of ${of}`;
}

function pageOf({ kind, id, bot_id: bot, conversation_id: conversation }: RunningItem | FailedItem) {
  if (kind === 'job') return { path: '/settings/system' };
  if (kind === 'knowledge') return { path: `/knowledge/${id}` };
  if (kind === 'evaluation') return { path: `/bots/${bot}/evaluations`, search: { evaluation: id } };
  return { path: `/conversations/${conversation}`, search: { panel: 'trace', turn: id } };
}

interface Step {
  name: keyof Overview['setup'];
  done: string;
  open: string;
  path: string;
  /** Owners only. */
  isForOwners?: boolean;
}

const steps: Step[] = [
  { name: 'bot', done: 'A bot', open: 'Make a bot', path: '/bots/new' },
  { name: 'knowledge', done: 'Knowledge', open: 'Add what it should know', path: '/knowledge' },
  { name: 'model', done: 'A model', open: 'Connect a model', path: '/settings/system' },
  { name: 'widget', done: 'On your site', open: 'Put it on your site', path: '/widgets' },
  {
    name: 'member',
    done: 'Your team',
    open: 'Invite somebody',
    path: '/settings/members',
    isForOwners: true,
  },
];

/** What a new workspace still needs. Gone when everything is done. */
function SetUpList({ setup }: Pick<Overview, 'setup'>) {
  const { can } = useWorkspace();
  const shown = steps.filter(({ isForOwners }) => !isForOwners || can('owner'));
  if (!can('operator') || shown.every(({ name }) => setup[name])) return null;
  return (
    <Section title="Set up" note={`${shown.filter(({ name }) => setup[name]).length} of ${shown.length}`}>
      <ul className="flex flex-wrap gap-x-6 gap-y-2 px-4 pb-4 md:px-6">
        {shown.map(({ name, done, open, path }) =>
          setup[name] ? (
            <li key={name} className="flex items-center gap-1.5 text-ink-3">
              <CircleCheck aria-hidden className="size-4 text-success" />
              {done}
              <span className="sr-only">: done</span>
            </li>
          ) : (
            <li key={name}>
              <PageLink
                path={path}
                className="flex items-center gap-1.5 font-medium text-accent-ink hover:underline"
              >
                <Circle aria-hidden className="size-4" />
                {open}
              </PageLink>
            </li>
          ),
        )}
      </ul>
    </Section>
  );
}

interface RowPartsProps {
  state: State;
  /** What the icon means, for screen readers. */
  stateText: string;
  /** For all others, too. */
  isStateShown?: boolean;
  title: string;
  /** Whose it is. */
  owner?: string | null;
  detail?: ReactNode;
  at: string;
}

interface ItemRowProps extends RowPartsProps {
  path: string;
  search?: Search;
}

/** The look of a line that can be pressed. */
const itemRow =
  'flex min-h-9 items-center gap-3 px-4 py-1.5 -outline-offset-2 hover:bg-hover md:px-6 pointer-coarse:min-h-11';

/** One line of the overview, which leads to the thing itself. */
function ItemRow({ path, search = {}, ...parts }: ItemRowProps) {
  return (
    <li className="border-line border-t first:border-t-0">
      <PageLink path={path} search={search} className={itemRow}>
        <RowParts {...parts} />
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-3" />
      </PageLink>
    </li>
  );
}

function RowParts({ state, stateText, isStateShown = false, title, owner, detail, at }: RowPartsProps) {
  return (
    <>
      <StateIcon state={state} />
      {!isStateShown && <span className="sr-only">{stateText}:</span>}
      <span className="flex min-w-0 flex-1 flex-wrap gap-x-3">
        {isStateShown && <span className="text-ink-2">{stateText}</span>}
        <span dir="auto" className="max-w-full truncate font-medium">
          <NameText text={title} />
        </span>
        {owner && (
          <span className="max-w-full truncate text-ink-2">
            <NameText text={owner} />
          </span>
        )}
        {detail && (
          <span dir="auto" className="max-w-full truncate text-ink-3">
            {detail}
          </span>
        )}
      </span>
      <TimeAgo at={at} className="shrink-0 text-ink-3 text-sm tabular-nums" />
    </>
  );
}

interface SectionProps {
  title: string;
  /** Beside the title: how many, since when. */
  note?: ReactNode;
  children: ReactNode;
}

/** A part of the overview, divided from the others by lines. */
function Section({ title, note, children }: SectionProps) {
  return (
    <section className="border-line border-b">
      <h2 className="flex items-baseline gap-2 px-4 pt-4 pb-2 font-semibold md:px-6">
        {title}
        {note && <span className="font-normal text-ink-3 text-sm tabular-nums">{note}</span>}
      </h2>
      {children}
    </section>
  );
}
