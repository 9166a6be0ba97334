import type { ConsoleBot } from '@svc/contract/console-bots';
import { Bot as BotIcon, Plus } from 'lucide-react';
import { botsQuery, modelsQuery } from '../../../api/bots.ts';
import { PageLink, useGo, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { count } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { type Column, DataTable } from '../../../kit/data-table.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { NameText, StateBadge, TimeAgo } from '../../../kit/labels.tsx';
import { Page } from '../../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { Sparkline } from '../../../kit/sparkline.tsx';
import { typeName } from '../bot-names.ts';

/** The bots of the workspace. */
export function BotsPage() {
  const { can } = useWorkspace();
  const [{ q = '' }, setSearch] = useSearchState();
  const bots = useRead(botsQuery);
  const models = useRead(modelsQuery);
  const go = useGo();
  const wanted = q.trim().toLowerCase();
  const shown = (bots.data ?? []).filter(
    ({ name, description, id }) => id === wanted || `${name} ${description}`.toLowerCase().includes(wanted),
  );
  const newBot = can('operator') && (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => go('/bots/new')}>
      New bot
    </Button>
  );
  const hasBots = (bots.data?.length ?? 0) > 0;
  return (
    <Page
      title="Bots"
      actions={hasBots && newBot}
      below={
        hasBots && (
          <div className="px-4 pb-2 md:px-6">
            <TextField
              label="Find a bot"
              hideLabel
              placeholder="Find a bot by name or id"
              type="search"
              value={q}
              onChange={(value) => setSearch({ q: value || undefined })}
              className="max-w-xs"
            />
          </div>
        )
      }
    >
      {bots.isPending && <RowsLoading />}
      {bots.isError && <LoadError query={bots} />}
      {bots.data && !hasBots && (
        <EmptyState icon={<BotIcon aria-hidden />} title="There are no bots yet" action={newBot}>
          A bot answers from what you give it, such as a handbook, and can use your tools.
        </EmptyState>
      )}
      {hasBots && shown.length === 0 && (
        <EmptyState
          title={`No bot matches “${q}”`}
          action={<Button onPress={() => setSearch({ q: undefined })}>Clear</Button>}
        />
      )}
      {shown.length > 0 && (
        <DataTable
          label="Bots"
          rows={shown}
          keyOf={({ id }) => id}
          columns={columns(models.data?.default_model)}
        />
      )}
    </Page>
  );
}

function columns(defaultModel: string | undefined): Column<ConsoleBot>[] {
  return [
    {
      title: 'Name',
      className: 'max-w-0 w-full md:w-2/5',
      cell: (bot) => (
        <span className="flex min-w-0 flex-col py-1">
          <PageLink path={`/bots/${bot.id}/prompt`} className="truncate font-medium">
            <span dir="auto">
              <NameText text={bot.name} />
            </span>
          </PageLink>
          <span className="truncate text-ink-3 text-xs md:hidden">{typeName(bot.bot_type)}</span>
          {bot.description && (
            <span dir="auto" className="truncate text-ink-3 text-xs">
              {bot.description}
            </span>
          )}
        </span>
      ),
    },
    {
      title: 'Type',
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell: (bot) => typeName(bot.bot_type),
    },
    {
      title: 'State',
      cell: (bot) =>
        bot.status === 'active' ? (
          <StateBadge state="success" text="active" />
        ) : (
          <StateBadge state="idle" text="inactive" />
        ),
    },
    {
      title: 'Model',
      isSecondary: true,
      className: 'max-w-48',
      cell: (bot) => {
        const own = modelOf(bot);
        const shown = own ?? defaultModel ?? '';
        return (
          <span className="block truncate font-mono text-xs" title={shown}>
            {shown}
            {!own && shown && <span className="font-sans text-ink-3"> default</span>}
          </span>
        );
      },
    },
    {
      title: 'Conversations',
      isNumber: true,
      isSecondary: true,
      cell: (bot) => (
        <span className="flex items-center justify-end gap-3">
          {bot.conversation_count > 1000 ? '1,000+' : count(bot.conversation_count)}
          <Sparkline values={bot.week} label={describeWeek(bot.week)} />
        </span>
      ),
    },
    {
      title: 'Changed',
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell: (bot) => <TimeAgo at={bot.updated_at} />,
    },
  ];
}

function modelOf({ settings }: ConsoleBot): string | undefined {
  const { model } = JSON.parse(settings) as { model?: string | null };
  return model ?? undefined;
}

function describeWeek(week: readonly number[]): string {
  const total = week.reduce((sum, day) => sum + day, 0);
  return `${count(total)} ${total === 1 ? 'conversation' : 'conversations'} in seven days: ${week.join(', ')}`;
}
