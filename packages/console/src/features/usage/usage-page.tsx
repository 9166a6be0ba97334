import type { UsageReport, UsageReportRow } from '@svc/contract/usage';
import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { botsQuery } from '../../api/bots.ts';
import { readUsage, usageQuery } from '../../api/usage.ts';
import { useSubmit } from '../../app/use-submit.ts';
import { PageLink, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { channelName } from '../../format/channels.ts';
import { saveFile, toCsv } from '../../format/csv.ts';
import { daysBetween, plainDay, shortDay, today } from '../../format/days.ts';
import { monthName } from '../../format/month.ts';
import { compactCount, count, money } from '../../format/numbers.ts';
import { BarChart } from '../../kit/bar-chart.tsx';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Cost } from '../../kit/cost.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { Segments } from '../../kit/fields.tsx';
import { type State, StateIcon } from '../../kit/labels.tsx';
import { MonthHeatmap } from '../../kit/month-heatmap.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, InlineError, LoadError, ReportLoading } from '../../kit/placeholders.tsx';
import {
  groupUsage,
  minutesText,
  monthRange,
  moveMonth,
  readMonth,
  readRange,
  tokensOf,
  totalUsage,
  type UsageBy,
  type UsageGroup,
  usageBy,
  usageSeries,
} from './usage-data.ts';

export function UsagePage() {
  const { api } = useWorkspace();
  const [search, change] = useSearchState();
  const now = today();
  const month = readMonth(search['month'], now);
  const custom = readRange(search);
  const range = custom ?? monthRange(month, now);
  const by = usageBy.find((one) => one === search['by']) ?? 'bot';
  const show = search['show'] === 'tokens' ? 'tokens' : 'cost';
  const usage = useRead(usageQuery, { ...range, by: `day,${by}` });
  const bots = useRead(botsQuery);
  const names = new Map(bots.data?.map(({ id, name }) => [id, name]));
  const isCurrent = month === now.slice(0, 7);
  const period = custom ? `${plainDay(range.from)} to ${plainDay(range.to)}` : monthName(month);

  function nameOf(id: string | null): string {
    if (id === null) return 'Outside conversations';
    if (by === 'bot') return names.get(id) ?? `Bot ${id.slice(-6)}`;
    return by === 'channel' ? channelName(id, 'all') : id;
  }

  const exporting = useSubmit(async () => {
    const { rows } = await readUsage(api, { ...range, by: 'day,bot,model,channel' });
    const columns: Record<string, (row: UsageReportRow) => string | number | null | undefined> = {
      day: (row) => row.day,
      bot: (row) => (row.bot ? (names.get(row.bot) ?? '') : ''),
      bot_id: (row) => row.bot,
      model: (row) => row.model,
      channel: (row) => row.channel,
      turns: (row) => row.turns,
      input_tokens: (row) => row.input_tokens,
      output_tokens: (row) => row.output_tokens,
      call_seconds: (row) => row.call_seconds,
      cost_usd: (row) => row.cost_usd,
      unpriced_models: (row) => row.unpriced_models.join(' '),
    };
    const cells = rows.map((row) => Object.values(columns).map((of) => of(row)));
    saveFile(`usage-${range.from}-${range.to}.csv`, 'text/csv', toCsv(Object.keys(columns), cells));
  });

  return (
    <Page
      title="Usage"
      actions={
        <>
          <div className="flex items-center">
            <IconButton
              label="Earlier month"
              icon={<ChevronLeft aria-hidden />}
              onPress={() => change({ month: moveMonth(month, -1), from: undefined, to: undefined })}
            />
            <span className="min-w-32 text-center text-sm">{period}</span>
            <IconButton
              label="Later month"
              icon={<ChevronRight aria-hidden />}
              isDisabled={isCurrent && !custom}
              onPress={() => change({ month: moveMonth(month, 1), from: undefined, to: undefined })}
            />
          </div>
          <Button icon={<Download aria-hidden />} onPress={() => void exporting.submit()}>
            Export CSV
          </Button>
        </>
      }
    >
      {exporting.error !== undefined && (
        <div className="p-4">
          <InlineError error={exporting.error} onRetry={() => void exporting.submit()} />
        </div>
      )}
      {content()}
    </Page>
  );

  function content() {
    if (usage.isPending) return <ReportLoading />;
    if (usage.isError) return <LoadError query={usage} className="p-4" />;
    const groups = groupUsage(usage.data.rows, by);
    const total = totalUsage(groups);
    const days = daysBetween(range.from, range.to);
    const perDay = new Map<string, number>();
    for (const row of usage.data.rows) {
      const value = show === 'cost' ? Number(row.cost_usd ?? 0) : row.input_tokens + row.output_tokens;
      perDay.set(row.day ?? '', (perDay.get(row.day ?? '') ?? 0) + value);
    }
    const format = (value: number) => (show === 'cost' ? money(String(value)) : compactCount(value));
    return (
      <div className={usage.isPlaceholderData ? 'opacity-60' : ''}>
        <UsageSummary
          period={custom ? `from ${period}` : isCurrent ? 'this month' : `in ${period}`}
          total={total}
          report={usage.data}
        />
        {groups.length === 0 ? (
          <EmptyState title="Nothing was used in this time.">
            <p>Every answer of a bot is counted here: tokens, and what they cost.</p>
          </EmptyState>
        ) : (
          <>
            <div className="flex flex-wrap gap-x-6 gap-y-3 px-4 pt-4 md:px-6">
              <Segments
                label="Grouped by"
                value={by}
                options={titles}
                onChange={(value) => change({ by: value })}
              />
              <Segments
                label="Shown"
                value={show}
                options={{ cost: 'Cost', tokens: 'Tokens' }}
                onChange={(value) => change({ show: value })}
              />
            </div>
            <div className="grid gap-8 px-4 py-4 md:px-6 xl:grid-cols-[1fr_auto]">
              <BarChart
                label={show === 'cost' ? `Cost per day by ${by}` : `Tokens per day by ${by}`}
                categories={days}
                nameCategory={shortDay}
                series={usageSeries(usage.data.rows, { by, days, show, nameOf })}
                format={format}
              />
              {!custom && (
                <div className="max-xl:hidden">
                  <p className="mb-2 font-medium">{period}</p>
                  <MonthHeatmap
                    label={`${period}, day by day`}
                    month={month}
                    values={perDay}
                    format={format}
                  />
                </div>
              )}
            </div>
            <UsageTable by={by} groups={groups} total={total} nameOf={nameOf} />
          </>
        )}
      </div>
    );
  }
}

interface UsageSummaryProps {
  /** "in November 2026" */
  period: string;
  total: UsageGroup;
  report: Pick<UsageReport, 'balance_usd' | 'usd_per_day' | 'days_left'>;
}

const lowDays = 7;

/** What was spent, what is left, and for how long. */
function UsageSummary({ period, total, report }: UsageSummaryProps) {
  const { balance_usd: balance, usd_per_day: perDay, days_left: daysLeft } = report;
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-4 border-line border-b px-4 py-4 md:px-6">
      <Figure
        title={`Spent ${period}`}
        value={money(String(total.cost))}
        note={
          total.unpriced.length > 0
            ? `without ${total.unpriced.join(', ')}: set SVC_MODEL_PRICES`
            : `${money(perDay)} a day this week`
        }
      />
      <Figure
        title="Tokens"
        value={compactCount(tokensOf(total))}
        note={`${compactCount(total.inputTokens)} in, ${compactCount(total.outputTokens)} out`}
      />
      <Figure title="Turns" value={count(total.turns)} note="messages answered and runs" />
      {total.callSeconds > 0 && (
        <Figure
          title="Call minutes"
          value={minutesText(total.callSeconds)}
          note="by telephone and microphone"
        />
      )}
      <Figure title="Balance" value={balance === null ? 'Unlimited' : money(balance)} note={left()} />
    </dl>
  );

  function left() {
    if (balance === null) return 'There is no limit on what is spent.';
    if (Number(balance) <= 0)
      return <Notice state="danger" text="Used up: bots answer no more until there is credit." />;
    if (daysLeft === null) return 'Nothing was spent this week.';
    const text = `At this pace the balance lasts ${daysLeft < 1 ? 'less than a day' : daysText(daysLeft)}.`;
    return daysLeft < lowDays ? <Notice state="warning" text={text} /> : text;
  }
}

function Notice({ state, text }: { state: State; text: string }) {
  return (
    <span
      className={classes(
        'flex items-start gap-1',
        state === 'danger' ? 'text-danger-ink' : 'text-warning-ink',
      )}
    >
      <StateIcon state={state} className="mt-0.5" />
      {text}
    </span>
  );
}

function daysText(days: number): string {
  const whole = Math.round(days);
  if (whole > 730) return 'for years';
  return whole === 1 ? '1 day' : `${count(whole)} days`;
}

function Figure({ title, value, note }: { title: string; value: string; note: React.ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-ink-2 text-sm">{title}</dt>
      <dd className="flex flex-col">
        <span className="font-semibold text-xl">{value}</span>
        <span className="text-ink-3 text-sm">{note}</span>
      </dd>
    </div>
  );
}

interface UsageTableProps {
  by: UsageBy;
  groups: readonly UsageGroup[];
  total: UsageGroup;
  nameOf: (id: string | null) => string;
}

const titles = { bot: 'Bot', model: 'Model', channel: 'Channel' };

function UsageTable({ by, groups, total, nameOf }: UsageTableProps) {
  const columns: Column<UsageGroup>[] = [
    { title: titles[by], cell: nameCell, className: 'max-w-0 w-full' },
    { title: 'Turns', isNumber: true, isSecondary: true, cell: ({ turns }) => count(turns) },
    {
      title: 'Tokens in',
      isNumber: true,
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell: ({ inputTokens }) => count(inputTokens),
    },
    {
      title: 'Tokens out',
      isNumber: true,
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell: ({ outputTokens }) => count(outputTokens),
    },
    ...(total.callSeconds > 0
      ? [
          {
            title: 'Call minutes',
            isNumber: true,
            isSecondary: true,
            className: 'whitespace-nowrap',
            cell: ({ callSeconds }: UsageGroup) => minutesText(callSeconds),
          },
        ]
      : []),
    { title: 'Cost', isNumber: true, cell: costOf, className: 'whitespace-nowrap' },
    { title: 'Share', isNumber: true, cell: shareOf },
  ];
  return (
    <DataTable
      label={`Usage by ${by}`}
      columns={columns}
      rows={groups}
      keyOf={({ id }) => id ?? 'none'}
      isLinked={by !== 'model'}
    />
  );

  function nameCell({ id }: UsageGroup) {
    const name = nameOf(id);
    if (id === null || by === 'model') return <span className="block truncate">{name}</span>;
    return (
      <PageLink
        path="/conversations"
        search={{ [by]: id }}
        title={name}
        className="block truncate text-accent-ink hover:underline"
      >
        {name}
      </PageLink>
    );
  }

  function costOf({ cost, unpriced }: UsageGroup) {
    const known = cost > 0 || unpriced.length === 0 ? String(cost) : null;
    return <Cost cost_usd={known} unpriced_models={unpriced} />;
  }

  function shareOf({ cost }: UsageGroup): string {
    return total.cost === 0 ? '–' : `${Math.round((cost / total.cost) * 100)} %`;
  }
}
