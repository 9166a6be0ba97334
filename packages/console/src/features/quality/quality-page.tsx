import type { QualityReport } from '@svc/contract/console-quality';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { botsQuery } from '../../api/bots.ts';
import { type QualityFilter, qualityQuery, reviewedRepliesQuery } from '../../api/quality.ts';
import { BotSelect } from '../../app/bot-select.tsx';
import { OnlyFor } from '../../app/only-for.tsx';
import { useBotNames } from '../../app/use-bot-names.ts';
import { TextLink, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { shortDay } from '../../format/days.ts';
import { count } from '../../format/numbers.ts';
import { BarChart } from '../../kit/bar-chart.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Segments } from '../../kit/fields.tsx';
import { LineChart } from '../../kit/line-chart.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, LoadError, ReportLoading, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { FlagsOff } from './flags-off.tsx';
import { ReviewedReply } from './reviewed-reply.tsx';

export function QualityPage() {
  const { can } = useWorkspace();
  if (can('operator')) return <QualityContent />;
  return (
    <Page title="Quality">
      <OnlyFor role="operator">{null}</OnlyFor>
    </Page>
  );
}

const periods = ['7', '30', '90'] as const;

function QualityContent() {
  const { api } = useWorkspace();
  const [search, change] = useSearchState();
  const botId = search['bot'];
  const days = periods.find((one) => one === search['days']) ?? '30';
  const bots = useQuery(botsQuery(api));
  const report = useQuery(qualityQuery(api, { bot_id: botId, days: Number(days) }));
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
            options={periods.map((value) => ({ value, label: `${value} days` }))}
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
          {bots.data && <FlagsOff bots={bots.data} botId={botId} />}
          {!isEmpty(report.data) && (
            <section aria-label="Replies">
              <div className="flex flex-wrap items-center gap-3 px-4 pt-4 md:px-6">
                <h2 className="font-semibold">Replies</h2>
                <Segments
                  label="Which replies"
                  value={shown}
                  options={[
                    { value: 'all', label: 'All' },
                    { value: 'refused', label: 'Withheld' },
                    { value: 'unsupported', label: 'Not supported' },
                  ]}
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
        threshold={{ value: refusalThreshold, label: 'withheld below .3' }}
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
  filter: QualityFilter;
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
