import { ApiError } from '@svc/client/api-error';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { ToolAssignment } from '@svc/contract/tools';
import { botQuery, botToolsQuery } from '../../../api/bots.ts';
import { NoSuchBot } from '../../../app/no-such-bot.tsx';
import { useParam, useRead } from '../../../app/workspace.tsx';
import { Page } from '../../../kit/page.tsx';
import { FormLoading, InlineError } from '../../../kit/placeholders.tsx';
import { EditorContext } from './editor-context.tsx';
import { EditorFrame } from './editor-frame.tsx';
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
