import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { readUsage, usageQuery } from '../../api/usage.ts';
import { useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { channelName } from '../../format/channels.ts';
import { saveFile, toCsv } from '../../format/csv.ts';
import { daysBetween, plainDay, shortDay, today } from '../../format/days.ts';
import { monthName } from '../../format/month.ts';
import { compactCount, money } from '../../format/numbers.ts';
import { BarChart } from '../../kit/bar-chart.tsx';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { Segments } from '../../kit/fields.tsx';
import { MonthHeatmap } from '../../kit/month-heatmap.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, InlineError, LoadError, ReportLoading } from '../../kit/placeholders.tsx';
import {
  groupUsage,
  monthRange,
  moveMonth,
  readMonth,
  readRange,
  totalUsage,
  usageBy,
  usageSeries,
} from './usage-data.ts';
import { UsageSummary } from './usage-summary.tsx';
import { UsageTable } from './usage-table.tsx';

export function UsagePage() {
  const { api } = useWorkspace();
  const [search, change] = useSearchState();
  const [failure, setFailure] = useState<unknown>();
  const now = today();
  const month = readMonth(search['month'], now);
  const custom = readRange(search);
  const range = custom ?? monthRange(month, now);
  const by = usageBy.find((one) => one === search['by']) ?? 'bot';
  const show = search['show'] === 'tokens' ? 'tokens' : 'cost';
  const usage = useQuery(usageQuery(api, { ...range, by: `day,${by}` }));
  const bots = useQuery(botsQuery(api));
  const names = new Map(bots.data?.map(({ id, name }) => [id, name]));
  const isCurrent = month === now.slice(0, 7);
  const period = custom ? `${plainDay(range.from)} to ${plainDay(range.to)}` : monthName(month);

  function nameOf(id: string | null): string {
    if (id === null) return 'Outside conversations';
    if (by === 'bot') return names.get(id) ?? `Bot ${id.slice(-6)}`;
    return by === 'channel' ? channelName(id, 'all') : id;
  }

  async function exportCsv(): Promise<void> {
    setFailure(undefined);
    try {
      const { rows } = await readUsage(api, { ...range, by: 'day,bot,model,channel' });
      const titles = [
        'day',
        'bot',
        'bot_id',
        'model',
        'channel',
        'turns',
        'input_tokens',
        'output_tokens',
        'cost_usd',
      ];
      const cells = rows.map((row) => [
        row.day,
        row.bot ? (names.get(row.bot) ?? '') : '',
        row.bot,
        row.model,
        row.channel,
        row.turns,
        row.input_tokens,
        row.output_tokens,
        row.cost_usd,
      ]);
      saveFile(`usage-${range.from}-${range.to}.csv`, 'text/csv', toCsv(titles, cells));
    } catch (error) {
      setFailure(error);
    }
  }

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
          <Button icon={<Download aria-hidden />} onPress={() => void exportCsv()}>
            Export CSV
          </Button>
        </>
      }
    >
      {failure !== undefined && (
        <div className="p-4">
          <InlineError error={failure} onRetry={() => void exportCsv()} />
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
                options={[
                  { value: 'bot', label: 'Bot' },
                  { value: 'model', label: 'Model' },
                  { value: 'channel', label: 'Channel' },
                ]}
                onChange={(value) => change({ by: value })}
              />
              <Segments
                label="Shown"
                value={show}
                options={[
                  { value: 'cost', label: 'Cost' },
                  { value: 'tokens', label: 'Tokens' },
                ]}
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
