import { Outlet, useLocation } from '@tanstack/react-router';
import { MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { LeaveGuard } from '../../../app/leave-guard.tsx';
import { PageLink, useHref, useSearchState } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { Page } from '../../../kit/page.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { type PageTab, PageTabs } from '../../../kit/tabs.tsx';
import { useMedia } from '../../../kit/use-media.ts';
import { typeName } from '../bot-names.ts';
import { TestChat } from '../test/test-chat.tsx';
import { useTestChat } from '../test/use-test-chat.ts';
import { BotMenu } from './bot-menu.tsx';
import { ChangeBar, saveKey, useSaveKey } from './change-bar.tsx';
import { type BotEditorContext, useBotEditor } from './editor-context.tsx';
import { describeChanges } from './form-changes.ts';

/** Tabs that need the whole width: there is no test beside them. */
const wideTabs = ['versions', 'evaluations'];

/** The form of a bot, and the test beside it. */
export function EditorFrame() {
  const editor = useBotEditor();
  const { bot, changes, canEdit, save, isSaving } = editor;
  const href = useHref();
  const [{ test }, setSearch] = useSearchState();
  const current = useLocation().pathname.split('/').at(-1) ?? '';
  const [error, setError] = useState<unknown>();
  const chat = useTestChat(editor);
  useSaveKey(save);
  const hasTest = canEdit && !wideTabs.includes(current);
  const isTestOpen = hasTest && test !== '0';
  const isWide = useMedia('(min-width: 64rem)');
  /** A phone shows either the form or the test. */
  const isTestOnly = hasTest && test === '1' && !isWide;
  return (
    <Page
      title={bot.name}
      isFixed
      beside={<BotState bot={bot} />}
      actions={
        <>
          {hasTest && (
            <Button
              icon={<MessageSquareText aria-hidden />}
              aria-pressed={isTestOpen}
              onPress={() => setSearch({ test: isTestOpen ? '0' : undefined })}
              className="max-lg:hidden"
            >
              Test
            </Button>
          )}
          {canEdit && <BotMenu onError={setError} />}
          {canEdit && (
            <Button
              look={changes.length > 0 ? 'primary' : 'secondary'}
              isBusy={isSaving}
              isDisabled={changes.length === 0}
              onPress={() => void save()}
            >
              Save
              <kbd className="font-normal font-sans text-sm opacity-80 max-md:hidden">{saveKey}</kbd>
            </Button>
          )}
        </>
      }
      below={
        <div className="flex">
          {hasTest && (
            <PageLink
              path={`/bots/${bot.id}/${current}`}
              search={{ test: '1' }}
              aria-current={isTestOnly ? 'page' : undefined}
              className={classes(
                'ml-3 flex h-9 shrink-0 items-center border-b-2 px-2 text-sm pointer-coarse:h-11 lg:hidden',
                isTestOnly ? 'border-accent font-medium text-ink' : 'border-transparent text-ink-2',
              )}
            >
              Test
            </PageLink>
          )}
          <div className="min-w-0 flex-1">
            <PageTabs
              label="Parts of the bot"
              current={isTestOnly ? 'test' : current}
              tabs={tabsOf(editor, href, test)}
            />
          </div>
        </div>
      }
    >
      <LeaveGuard
        isDirty={changes.length > 0}
        isKeptAt={({ pathname }) => `${pathname}/`.startsWith(`${href(`/bots/${bot.id}`)}/`)}
        changes={describeChanges(changes)}
      />
      <div className="flex h-full min-h-0">
        <div className={classes('flex min-w-0 flex-1 flex-col', isTestOnly && 'max-lg:hidden')}>
          <div className="min-h-0 flex-1 overflow-y-auto">
            {error !== undefined && (
              <div className="p-4 md:px-6">
                <InlineError error={error} />
              </div>
            )}
            <Outlet />
          </div>
          <ChangeBar />
        </div>
        {isTestOpen && (
          <div
            className={classes(
              'min-h-0 min-w-0 border-line max-lg:w-full lg:w-[clamp(360px,36vw,560px)] lg:border-l',
              !isTestOnly && 'max-lg:hidden',
            )}
          >
            <TestChat chat={chat} />
          </div>
        )}
      </div>
    </Page>
  );
}

function BotState({ bot: { bot_type, status, version } }: Pick<BotEditorContext, 'bot'>) {
  return (
    <span className="flex items-center gap-2 text-ink-2 text-sm">
      {typeName(bot_type)}
      {status === 'active' ? (
        <StateBadge state="success" text="active" />
      ) : (
        <StateBadge state="idle" text="inactive" />
      )}
      <span>v{version}</span>
    </span>
  );
}

function tabsOf(
  { bot, form }: BotEditorContext,
  href: (path: string) => string,
  test: string | undefined,
): PageTab[] {
  const tab = (id: string, label: string, count?: number): PageTab => ({
    id,
    label,
    to: href(`/bots/${bot.id}/${id}`),
    search: { test: test === '0' ? '0' : undefined },
    ...(count ? { count } : {}),
  });
  return [
    tab('prompt', 'Prompt'),
    tab('model', 'Model'),
    tab('tools', 'Tools', form.tools.length),
    tab('knowledge', 'Knowledge'),
    tab('voice', 'Voice'),
    tab('schedule', 'Schedule'),
    tab('quality', 'Quality'),
    tab('versions', 'Versions'),
    tab('evaluations', 'Evaluations'),
  ];
}
