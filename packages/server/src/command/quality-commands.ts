import { type Command, InvalidArgumentError } from 'commander';
import type {
  QualityDay,
  QualityPage,
  QualityRecord,
  QualityService,
  QualitySummary,
} from '../quality/quality.service.ts';
import { parseId } from './arguments.ts';
import { print, printable, table } from './command-output.ts';
import { findBotRow } from './find-bot-row.ts';
import { withServices } from './lazily.ts';

interface RecordOptions {
  refused: boolean;
  unsupported: boolean;
  limit: number;
  before?: string;
  json: boolean;
}

const maxDetailLength = 100;

export function qualityCommands(program: Command): void {
  const quality = program
    .command('quality')
    .description('see how a bot’s replies were graded and validated, day by day')
    .argument('<bot>', 'the bot', parseId)
    .option('--days <number>', 'how many days, today included', parseDays, 7)
    .option('--json', 'print one JSON document', false)
    .action(async (botId: string, { days, json }: { days: number; json: boolean }) => {
      const summary = await withQuality(botId, (service, workspaceId) =>
        service.summary(workspaceId, days, botId),
      );
      print(json, { bot_id: botId, ...summary }, summaryTable(summary));
    });

  quality
    .command('records')
    .description('list the quality records of single replies, newest first')
    .argument('<bot>', 'the bot', parseId)
    .option('--refused', 'only replies that were not sent', false)
    .option('--unsupported', 'only replies that their sources do not support', false)
    .option('--limit <number>', 'how many at most', parseLimit, 50)
    .option('--before <id>', 'continue before this record, the last of a page', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async (botId: string, _options: object, command: Command) => {
      // The parent command has `--json` too, and consumes it first.
      const { json, ...filter } = command.optsWithGlobals<RecordOptions>();
      const page = await withQuality(botId, (service, workspaceId) =>
        service.list(workspaceId, botId, filter),
      );
      print(json, { bot_id: botId, records: page.records, next: page.next ?? null }, recordTable(page));
    });
}

function withQuality<Result>(
  botId: string,
  work: (service: QualityService, workspaceId: string) => Promise<Result>,
): Promise<Result> {
  return withServices(async (services) => {
    const [{ createQualityService }, { systemClock }] = await Promise.all([
      import('../quality/quality.service.ts'),
      import('../lib/clock.ts'),
    ]);
    const bot = await findBotRow(services, botId);
    const { database } = services;
    const service = createQualityService({ database, bots: { getRow: async () => bot }, clock: systemClock });
    return work(service, bot.workspaceId);
  });
}

function summaryTable({ days, total }: QualitySummary): string {
  const header = [
    'DATE',
    'GRADED',
    'AVERAGE',
    'REFUSED',
    'UNGRADED',
    'VALIDATED',
    'SUPPORTED',
    'UNSUPPORTED',
  ];
  return table(header, [...days, { date: 'all', ...total }].map(toCells));
}

function toCells(day: QualityDay): string[] {
  const { date, graded, average_score: average, refused, ungraded, validated, supported, unsupported } = day;
  const counts = [refused, ungraded, validated, supported, unsupported];
  return [date, String(graded), average === null ? '-' : average.toFixed(2), ...counts.map(String)];
}

function recordTable({ records, next }: QualityPage): string {
  const rows = records.map((record) => [
    record.created_at,
    record.conversation_id,
    record.score?.toFixed(2) ?? record.grading ?? '-',
    record.refused ? 'refused' : '-',
    record.verdict ?? record.validation ?? '-',
    detailOf(record),
  ]);
  const shown = table(['AT', 'CONVERSATION', 'SCORE', 'SENT', 'SOURCES', 'DETAIL'], rows);
  return next ? `${shown}\n\nMore: --before ${next}` : shown;
}

function detailOf({
  refused_text: refused,
  unsupported_claims: claims,
  ungraded_because: because,
}: QualityRecord): string {
  const text = printable(refused ?? (claims.join(' · ') || (because ?? ''))).replaceAll(/\s+/g, ' ');
  return text.length <= maxDetailLength ? text : `${text.slice(0, maxDetailLength - 1)}…`;
}

function parseDays(text: string): number {
  return parseNumber(text, 366);
}

function parseLimit(text: string): number {
  return parseNumber(text, 1_000);
}

function parseNumber(text: string, most: number): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new InvalidArgumentError(`Give a number from 1 to ${most}.`);
  return value;
}
