import type { QualityFlag } from '@svc/contract/bots';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { AnswerRatings, QualityReport, ReviewedReply as Reply } from '@svc/contract/console-quality';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { botsQuery } from '../../api/bots.ts';
import type { Query } from '../../api/client.ts';
import { qualityQuery, reviewedRepliesQuery } from '../../api/quality.ts';
import { BotSelect, useBotNames } from '../../app/bot-select.tsx';
import { OnlyFor } from '../../app/only-for.tsx';
import { PageLink, TextLink, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { shortDay } from '../../format/days.ts';
import { count, plural } from '../../format/numbers.ts';
import { BarChart } from '../../kit/bar-chart.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Segments } from '../../kit/fields.tsx';
import { StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { LineChart } from '../../kit/line-chart.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, LoadError, ReportLoading, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { highlightClaims } from './highlight.ts';

export function QualityPage() {
  const { can } = useWorkspace();
  if (can('operator')) return <QualityContent />;
  return (
    <Page title="Quality">
      <OnlyFor role="operator">{null}</OnlyFor>
    </Page>
  );
}

const periods = { 7: '7 days', 30: '30 days', 90: '90 days' };

function isPeriod(text: string | undefined): text is `${keyof typeof periods}` {
  return text !== undefined && Object.hasOwn(periods, text);
}

function QualityContent() {
  const [search, change] = useSearchState();
  const botId = search['bot'];
  const days = isPeriod(search['days']) ? search['days'] : '30';
  const bots = useRead(botsQuery);
  const report = useRead(qualityQuery, { bot_id: botId, days: Number(days) });
  const shown = search['refused'] ? 'refused' : search['unsupported'] ? 'unsupported' : 'all';
  const nameOf = useBotNames();
  return (
    <Page
      title="Quality"
      actions={
        <>
          <Segments
            label="Period"
            value={days}
            options={periods}
            onChange={(value) => change({ days: value })}
          />
          <BotSelect
            label="Bot"
            hideLabel
            noneLabel="All bots"
            value={botId}
            onChange={(bot) => change({ bot })}
          />
        </>
      }
    >
      {report.isPending && <ReportLoading />}
      {report.isError && <LoadError query={report} className="p-4" />}
      {report.data && (
        <>
          {isEmpty(report.data) ? (
            <EmptyState
              title="No reply was graded or checked in this time."
              action={
                <TextLink path="/bots" className="font-medium underline-offset-2">
                  All bots
                </TextLink>
              }
            >
              <p>Switch on grades or verdicts in a bot to see here how well it answers.</p>
            </EmptyState>
          ) : (
            <>
              <Totals total={report.data.total} />
              <QualityCharts days={report.data.days} />
            </>
          )}
          <Ratings ratings={report.data.ratings} botId={botId} nameOf={nameOf} />
          {bots.data && <FlagsOff bots={bots.data} botId={botId} />}
          {!isEmpty(report.data) && (
            <section aria-label="Replies">
              <div className="flex flex-wrap items-center gap-3 px-4 pt-4 md:px-6">
                <h2 className="font-semibold">Replies</h2>
                <Segments
                  label="Which replies"
                  value={shown}
                  options={{ all: 'All', refused: 'Withheld', unsupported: 'Not supported' }}
                  onChange={(value) =>
                    change({
                      refused: value === 'refused' ? 1 : undefined,
                      unsupported: value === 'unsupported' ? 1 : undefined,
                    })
                  }
                />
              </div>
              <ReplyList
                filter={{
                  bot_id: botId,
                  refused: shown === 'refused' || undefined,
                  unsupported: shown === 'unsupported' || undefined,
                }}
                nameOf={nameOf}
                onClear={() => change({ refused: undefined, unsupported: undefined })}
              />
            </section>
          )}
        </>
      )}
    </Page>
  );
}

function Totals({ total }: Pick<QualityReport, 'total'>) {
  const figures = [
    ['Average score', total.average_score === null ? '–' : total.average_score.toFixed(2)],
    ['Graded', count(total.graded)],
    ['Withheld', count(total.refused)],
    ['Checked', count(total.validated)],
    ['Not supported', count(total.unsupported)],
  ];
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-3 border-line border-b px-4 py-4 md:px-6">
      {figures.map(([title, value]) => (
        <div key={title}>
          <dt className="text-ink-2 text-sm">{title}</dt>
          <dd className="font-semibold text-xl">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function isEmpty({ total }: QualityReport): boolean {
  return total.graded + total.ungraded + total.validated + total.refused === 0;
}

interface RatingsProps {
  /** A node of the previous release leaves them out. */
  ratings: AnswerRatings | undefined;
  botId: string | undefined;
  nameOf: (botId: string) => string;
}

/** What users think of the answers, and what they say was wrong. */
function Ratings({ ratings, botId, nameOf }: RatingsProps) {
  if (!ratings) return null;
  const { up, down, comments } = ratings;
  return (
    <section aria-labelledby="ratings" className="flex flex-col gap-3 border-line border-b px-4 py-4 md:px-6">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <h2 id="ratings" className="font-semibold">
          Ratings by users
        </h2>
        {up + down === 0 && <span className="text-ink-2">No answer was rated in this time.</span>}
        {up + down > 0 && (
          <>
            <span className="flex items-center gap-1.5">
              <ThumbsUp aria-hidden className="size-4 text-success-ink" />
              {count(up)} <span className="text-ink-2">up</span>
            </span>
            <span className="flex items-center gap-1.5">
              <ThumbsDown aria-hidden className="size-4 text-danger-ink" />
              {count(down)} <span className="text-ink-2">down</span>
            </span>
          </>
        )}
        {down > 0 && (
          <PageLink
            path="/conversations"
            search={{ rating: 'down', bot: botId }}
            className="text-accent-ink hover:underline"
          >
            Conversations rated down
          </PageLink>
        )}
      </div>
      {comments.length > 0 && (
        <ul aria-label="What was wrong" className="flex flex-col gap-2 text-sm">
          {comments.map(({ message_id: id, conversation_id: conversationId, ...said }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
              <PageLink
                path={`/conversations/${conversationId}`}
                search={{ message: id }}
                className="line-clamp-2 min-w-0 max-w-prose break-words hover:underline"
              >
                <q dir="auto">{said.comment}</q>
              </PageLink>
              <span className="text-ink-2">{nameOf(said.bot_id)}</span>
              <TimeAgo at={said.created_at} className="text-ink-3" />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Replies with a lower score are withheld; see docs/quality.md. */
const refusalThreshold = 0.3;

function QualityCharts({ days }: Pick<QualityReport, 'days'>) {
  const categories = days.map(({ date }) => date);
  return (
    <div className="grid gap-8 px-4 py-4 md:px-6 lg:grid-cols-2">
      <LineChart
        label="Average score"
        categories={categories}
        nameCategory={shortDay}
        series={[{ id: 'score', name: 'Score', values: days.map((day) => day.average_score) }]}
        format={(value) => value.toFixed(2)}
        maximum={1}
        threshold={{ value: refusalThreshold, label: 'withheld below 0.30' }}
      />
      <BarChart
        label="Withheld, not supported and not graded"
        categories={categories}
        nameCategory={shortDay}
        series={[
          { id: 'refused', name: 'Withheld', values: days.map(({ refused }) => refused) },
          { id: 'unsupported', name: 'Not supported', values: days.map(({ unsupported }) => unsupported) },
          { id: 'ungraded', name: 'Not graded', values: days.map(({ ungraded }) => ungraded) },
        ]}
        format={count}
      />
    </div>
  );
}

interface ReplyListProps {
  filter: Query;
  nameOf: (botId: string) => string;
  onClear: () => void;
}

function ReplyList({ filter, nameOf, onClear }: ReplyListProps) {
  const { api } = useWorkspace();
  const replies = useInfiniteQuery(reviewedRepliesQuery(api, filter));
  if (replies.isPending) return <RowsLoading rows={4} />;
  if (replies.isError) return <LoadError query={replies} className="p-4" />;
  const shown = replies.data.pages.flatMap(({ items }) => items);
  if (shown.length === 0) {
    const isFiltered = filter.refused || filter.unsupported;
    return (
      <EmptyState
        title={isFiltered ? 'No reply matches.' : 'No reply was graded or checked yet.'}
        action={isFiltered && <Button onPress={onClear}>Show all replies</Button>}
      />
    );
  }
  return (
    <>
      {shown.map((reply) => (
        <ReviewedReply key={reply.id} reply={reply} botName={nameOf(reply.bot_id)} />
      ))}
      <ShowMore list={replies} />
    </>
  );
}

/** One reply: what was asked, what was answered or withheld, and what no source supports. */
function ReviewedReply({ reply, botName }: { reply: Reply; botName: string }) {
  const { pieces, elsewhere } = highlightClaims(reply.answer ?? '', reply.unsupported_claims);
  const hasSources = reply.sources.length > 0;
  return (
    <article className="flex flex-col gap-3 border-line border-b px-4 py-4 md:px-6">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <Verdicts reply={reply} />
        <span className="text-ink-2">{botName}</span>
        <TimeAgo at={reply.created_at} className="text-ink-3" />
        <PageLink
          path={`/conversations/${reply.conversation_id}`}
          search={{ message: reply.message_id }}
          className="ml-auto text-accent-ink hover:underline"
        >
          Open the conversation
        </PageLink>
      </header>
      <div className={hasSources ? 'grid gap-4 lg:grid-cols-[3fr_2fr]' : ''}>
        <div className="flex min-w-0 max-w-prose flex-col gap-2">
          {reply.question && (
            <p dir="auto" className="whitespace-pre-wrap break-words text-ink-2">
              {reply.question}
            </p>
          )}
          {reply.refused_text !== null && (
            <div>
              <p className="font-medium text-danger-ink text-sm">Withheld, the user never saw it:</p>
              <p dir="auto" className="whitespace-pre-wrap break-words rounded-md bg-danger-tint p-3">
                {reply.refused_text}
              </p>
            </div>
          )}
          {reply.answer === null ? (
            <p className="text-ink-3">The answer is gone: its conversation was truncated.</p>
          ) : (
            <p dir="auto" className="whitespace-pre-wrap break-words text-lg">
              {pieces.map(({ text, isUnsupported }, index) =>
                isUnsupported ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
                  <mark key={index} className="rounded-sm bg-del-word px-0.5 text-ink">
                    {text}
                    <span className="sr-only"> (no source says this)</span>
                  </mark>
                ) : (
                  text
                ),
              )}
            </p>
          )}
          {elsewhere.length > 0 && (
            <div className="text-sm">
              <p className="text-ink-2">No source says:</p>
              <ul className="list-disc pl-5">
                {elsewhere.map((claim) => (
                  <li key={claim}>{claim}</li>
                ))}
              </ul>
            </div>
          )}
        </div>
        {hasSources && (
          <ul aria-label="Sources" className="flex min-w-0 flex-col gap-2 text-sm">
            {reply.sources.map(({ title, quote }, index) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: the number is how the answer refers to it
                key={index}
                className="border-line border-l-2 pl-3"
              >
                <p className="font-medium">
                  [{index + 1}] {title}
                </p>
                <p dir="auto" className="line-clamp-4 break-words text-ink-2">
                  {quote}
                </p>
              </li>
            ))}
          </ul>
        )}
      </div>
    </article>
  );
}

function Verdicts({ reply }: { reply: Reply }) {
  const { grading, score, refused, validation, verdict } = reply;
  return (
    <>
      {refused && <StateBadge state="danger" text="Withheld" />}
      {grading === 'graded' && <span className="font-medium">Score {score?.toFixed(2)}</span>}
      {grading === 'ungraded' && (
        <StateBadge state="unknown" text={`Not graded: ${reply.ungraded_because ?? 'the grader failed'}`} />
      )}
      {verdict === 'supported' && <StateBadge state="success" text="Supported by its sources" />}
      {verdict === 'unsupported' && <StateBadge state="warning" text="Not supported" />}
      {validation === 'pending' && <StateBadge state="running" text="Being checked" />}
      {validation === 'failed' && (
        <StateBadge state="unknown" text={`Not checked: ${reply.validation_problem ?? 'unknown'}`} />
      )}
    </>
  );
}

const flags: { name: QualityFlag; label: string; what: string; cost: string }[] = [
  {
    name: 'enable_confidence_scoring',
    label: 'Grades',
    what: 'Every reply is graded before anybody sees it; below 0.30 a safe message is sent instead.',
    cost: 'Costs one more model call per reply, and its time: users wait for the whole answer.',
  },
  {
    name: 'enable_response_validation',
    label: 'Verdicts',
    what: 'After an answer from sources, each claim is compared with them.',
    cost: 'Costs one more model call per such answer, in the background: no user waits.',
  },
];

/** Which bots are not watched, and what watching them would cost. */
function FlagsOff({ bots, botId }: { bots: readonly ConsoleBot[]; botId: string | undefined }) {
  const watched = bots.filter(({ id, status }) => (botId ? id === botId : status === 'active'));
  const missing = flags
    .map((flag) => ({ ...flag, off: watched.filter((bot) => !isOn(bot, flag.name)) }))
    .filter(({ off }) => off.length > 0);
  if (watched.length === 0 || missing.length === 0) return null;
  return (
    <section
      aria-label="Switched off"
      className="grid gap-4 border-line border-b bg-sunken px-4 py-4 md:px-6 lg:grid-cols-2"
    >
      {missing.map(({ name, label, what, cost, off }) => (
        <div key={name} className="flex max-w-prose flex-col gap-1 text-sm">
          <h2 className="font-medium text-base">
            {label} are off for {off.length === 1 ? off[0]?.name : plural(off.length, 'bot')}
          </h2>
          <p className="text-ink-2">{what}</p>
          <p className="text-ink-2">{cost}</p>
          <p className="flex flex-wrap gap-x-3">
            {off.slice(0, 5).map((bot) => (
              <PageLink
                key={bot.id}
                path={`/bots/${bot.id}/quality`}
                className="text-accent-ink hover:underline"
              >
                {off.length === 1 ? 'Change it in the bot' : bot.name}
              </PageLink>
            ))}
            {off.length > 5 && <span className="text-ink-3">and {off.length - 5} more</span>}
          </p>
        </div>
      ))}
    </section>
  );
}

/** A bot's settings are JSON inside of JSON; a flag that is absent is off. */
function isOn({ settings }: ConsoleBot, flag: QualityFlag): boolean {
  try {
    return (JSON.parse(settings) as Partial<Record<QualityFlag, boolean>>)[flag] === true;
  } catch {
    return false;
  }
}
