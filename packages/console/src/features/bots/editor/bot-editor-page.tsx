import { ApiError } from '@svc/client/api-error';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { ToolAssignment } from '@svc/contract/tools';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { Copy, Ellipsis, MessageSquareText, Power, PowerOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { tinykeys } from 'tinykeys';
import { botQuery, botToolsQuery, deactivateBot, updateBot } from '../../../api/bots.ts';
import { keys } from '../../../api/client.ts';
import { LeaveGuard } from '../../../app/leave-guard.tsx';
import { NoSuchBot } from '../../../app/no-such-bot.tsx';
import {
  PageLink,
  useGo,
  useHref,
  useParam,
  useRead,
  useSearchState,
  useWorkspace,
} from '../../../app/workspace.tsx';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { Page } from '../../../kit/page.tsx';
import { FormLoading, InlineError } from '../../../kit/placeholders.tsx';
import { useShowFault } from '../../../kit/show-fault.ts';
import { type PageTab, PageTabs } from '../../../kit/tabs.tsx';
import { notify } from '../../../kit/toast.tsx';
import { useMedia } from '../../../kit/use-media.ts';
import { typeName } from '../bot-names.ts';
import { duplicateBot } from '../duplicate-bot.ts';
import { TestChat } from '../test/test-chat.tsx';
import { useTestChat } from '../test/use-test-chat.ts';
import { useSavedBy } from '../versions/use-saved-by.ts';
import { type BotEditorContext, EditorContext, useBotEditor } from './editor-context.tsx';
import { describeChanges } from './form-changes.ts';
import { useEditorState } from './use-editor-state.ts';

/** Loads a bot for its editor. */
export function BotEditorPage() {
  const botId = useParam('bot');
  const bot = useRead(botQuery, botId);
  const tools = useRead(botToolsQuery, botId);
  const error = bot.error ?? tools.error;
  if (bot.data && tools.data) return <LoadedEditor key={botId} bot={bot.data} tools={tools.data} />;
  if (error instanceof ApiError && error.status === 404) return <NoSuchBot />;
  const retry = () => void Promise.all([bot.refetch(), tools.refetch()]);
  return (
    // The place of the tabs is kept, so that nothing moves when they come.
    <Page title="Bot" below={<div className="h-9 pointer-coarse:h-11" />}>
      {error ? (
        <div className="p-4 md:p-6">
          <InlineError error={error} onRetry={retry} />
        </div>
      ) : (
        <FormLoading />
      )}
    </Page>
  );
}

function LoadedEditor({ bot, tools }: { bot: ConsoleBot; tools: readonly ToolAssignment[] }) {
  const editor = useEditorState(bot, tools);
  return (
    <EditorContext value={editor}>
      <EditorFrame />
    </EditorContext>
  );
}

/** Tabs that need the whole width: there is no test beside them. */
const wideTabs = ['versions', 'evaluations'];

/** The form of a bot, and the test beside it. */
function EditorFrame() {
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

/** What can be done with a bot as a whole. */
function BotMenu({ onError }: { onError: (error: unknown) => void }) {
  const { api } = useWorkspace();
  const { bot, saved } = useBotEditor();
  const queries = useQueryClient();
  const go = useGo();
  const [isAsking, setAsking] = useState(false);
  const isActive = bot.status === 'active';
  const refresh = () => queries.invalidateQueries({ queryKey: keys.all(api, 'bot') });

  function attempt(work: () => Promise<void>): void {
    onError(undefined);
    work().catch(onError);
  }

  async function duplicate(): Promise<void> {
    const { id, toolsError } = await duplicateBot(api, bot, saved);
    await refresh();
    notify(
      toolsError
        ? { text: `${bot.name} was copied without its tools. ${toolsError.message}`, isError: true }
        : { text: `${bot.name} was copied. Knowledge stays with the original.` },
    );
    go(`/bots/${id}/prompt`);
  }

  async function activate(): Promise<void> {
    await updateBot(api, bot.id, { status: 'active' });
    await refresh();
  }

  return (
    <>
      <Menu
        label={`More about ${bot.name}`}
        entries={[
          {
            label: 'Duplicate',
            icon: <Copy aria-hidden />,
            onAction: () => attempt(duplicate),
          },
          isActive
            ? {
                label: 'Deactivate…',
                icon: <PowerOff aria-hidden />,
                isDangerous: true,
                isFirstOfGroup: true,
                onAction: () => setAsking(true),
              }
            : {
                label: 'Activate',
                icon: <Power aria-hidden />,
                isFirstOfGroup: true,
                onAction: () => attempt(activate),
              },
        ]}
      >
        <IconButton label="More" icon={<Ellipsis aria-hidden />} />
      </Menu>
      {isAsking && (
        <ConfirmDialog
          title={`Deactivate ${bot.name}?`}
          action="Deactivate"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await deactivateBot(api, bot.id);
            await refresh();
          }}
        >
          <p>
            It stops answering at once: visitors of its widget are told that the chat is not available
            {bot.schedule ? ', and its schedule stops' : ''}. Its configuration, knowledge and conversations
            are kept, and you can activate it again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** What is not saved yet, and who gets what meanwhile. */
function ChangeBar() {
  const { bot, changes, failure, newerVersion, discard, takeNewer, keepMine } = useBotEditor();
  useShowFault(failure);
  if (changes.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 border-line border-t bg-surface px-4 py-2 text-sm md:px-6">
      {newerVersion !== undefined && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-2 rounded-md bg-info-tint px-3 py-2 text-info-ink"
        >
          <span className="min-w-0 flex-1 basis-60">
            <SavedBy version={newerVersion} /> saved version {newerVersion} while you were editing.{' '}
            <PageLink path={`/bots/${bot.id}/versions`} className="underline">
              See what changed
            </PageLink>
          </span>
          <Button size="small" onPress={takeNewer}>
            Drop mine, load version {newerVersion}
          </Button>
          <Button size="small" onPress={keepMine}>
            Keep mine
          </Button>
        </div>
      )}
      {failure !== undefined && <InlineError error={failure} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 flex-1 basis-60">
          <span className="break-words font-medium">Changed: {describeChanges(changes)}</span>
          <span className="block text-ink-2">Not saved. Visitors still get version {bot.version}.</span>
        </p>
        <Button size="small" look="quiet" onPress={discard}>
          Discard
        </Button>
      </div>
    </div>
  );
}

function SavedBy({ version }: { version: number }) {
  return useSavedBy(useBotEditor().bot.id, version);
}

const saveKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘S' : 'Ctrl S';

/** ⌘S saves, instead of the page. */
function useSaveKey(save: () => Promise<void>): void {
  useEffect(
    () =>
      tinykeys(
        window,
        {
          '$mod+s': (event) => {
            event.preventDefault();
            void save();
          },
        },
        // By default, nothing happens in fields.
        { ignore: () => false },
      ),
    [save],
  );
}
