import { ApiError } from '@svc/client/api-error';
import type { WidgetCustomization } from '@svc/contract/widgets';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botQuery } from '../../api/bots.ts';
import { customizationQuery, widgetKeysQuery } from '../../api/widgets.ts';
import { NoSuchBot } from '../../app/no-such-bot.tsx';
import { useParam, useWorkspace } from '../../app/workspace.tsx';
import { Page } from '../../kit/page.tsx';
import { FormLoading, LoadError } from '../../kit/placeholders.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { KeyList } from './key-list.tsx';
import { lookOf } from './look.ts';
import { LookForm } from './look-form.tsx';
import { Preview } from './preview.tsx';
import { Snippet } from './snippet.tsx';

export function WidgetPage() {
  const botId = useParam('bot');
  // What is not saved yet belongs to one bot.
  return <BotWidget key={botId} botId={botId} />;
}

/** One bot on websites: the snippet, the keys, and the look with the real widget beside it. */
function BotWidget({ botId }: { botId: string }) {
  const { api, can } = useWorkspace();
  const bot = useQuery(botQuery(api, botId));
  const look = useQuery(customizationQuery(api, botId));
  const keys = useQuery(widgetKeysQuery(api, botId));
  const [draft, setDraft] = useState<Partial<WidgetCustomization>>({});
  const failed = [bot, look, keys].find(({ isError }) => isError);
  const shown = look.data && { ...look.data, ...draft };
  if (bot.error instanceof ApiError && bot.error.status === 404) return <NoSuchBot />;
  return (
    <Page
      title={bot.data ? `${bot.data.name} on your site` : 'Widget'}
      beside={
        <>
          {!can('operator') && <StateBadge state="info" text="View only" />}
          {bot.data?.status === 'inactive' && <StateBadge state="warning" text="The bot is inactive" />}
        </>
      }
    >
      {failed && <LoadError query={failed} className="p-4" />}
      {!failed && (!bot.data || !shown || !keys.data) && <FormLoading />}
      {bot.data && shown && look.data && keys.data && (
        <div className="grid lg:grid-cols-[minmax(0,1fr)_minmax(420px,46%)]">
          <div className="flex min-w-0 flex-col">
            <Snippet bot={bot.data} widgetKeys={keys.data} />
            <KeyList botId={botId} widgetKeys={keys.data} />
            <LookForm saved={look.data} draft={draft} botName={bot.data.name} onChange={setDraft} />
          </div>
          <Preview botId={botId} look={lookOf(shown, bot.data)} />
        </div>
      )}
    </Page>
  );
}
