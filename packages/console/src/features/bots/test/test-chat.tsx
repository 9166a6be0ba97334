import { useQuery } from '@tanstack/react-query';
import { ExternalLink, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { modelsQuery } from '../../../api/bots.ts';
import { TextLink, useWorkspace } from '../../../app/workspace.tsx';
import { IconButton } from '../../../kit/buttons.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { Composer } from '../../chat/composer.tsx';
import { useBotEditor } from '../editor/editor-context.tsx';
import { BuiltInNote } from './built-in-note.tsx';
import { Suggestions, useReadiness } from './suggestions.tsx';
import { TestMessages } from './test-messages.tsx';
import { useAskedQuestion } from './use-asked-question.ts';
import type { TestChatState } from './use-test-chat.ts';

/** The chat beside the form of a bot: it runs what is not saved yet, and visitors see nothing of it. */
export function TestChat({ chat }: { chat: TestChatState }) {
  const { api } = useWorkspace();
  const { bot, form, changes } = useBotEditor();
  const models = useQuery(modelsQuery(api));
  const readiness = useReadiness(bot.id);
  const [error, setError] = useState<unknown>();
  const hasAnswer = chat.state.conversation.turns.some(({ status }) => status === 'completed');
  const isBuiltIn = (form.settings.model ?? models.data?.default_model)?.startsWith('builtin/') ?? false;

  function attempt(work: Promise<void>): void {
    setError(undefined);
    work.catch(setError);
  }
  /** A question that was clicked has no field that could keep it. */
  const ask = (question: string) => attempt(chat.send(question));
  useAskedQuestion(reasonNotToSend(bot.status, readiness.isWaiting, chat) === undefined, ask);

  return (
    <section aria-label="Test" className="flex h-full min-h-0 flex-col bg-surface">
      <header className="flex h-11 shrink-0 items-center gap-2 border-line border-b px-4 text-sm">
        <h2 className="font-semibold">Test</h2>
        <span className="text-ink-3">
          {changes.length > 0 ? 'on your draft' : `on version ${bot.version}`}
        </span>
        <IconButton
          label="New conversation"
          icon={<RotateCcw aria-hidden />}
          onPress={() => attempt(chat.startOver())}
          className="ml-auto"
        />
      </header>
      <TestMessages chat={chat} bot={bot}>
        <Suggestions
          botId={bot.id}
          greeting={form.settings.chat_greeting ?? undefined}
          readiness={readiness}
          onAsk={ask}
        />
      </TestMessages>
      {error !== undefined && (
        <div className="px-4 pb-2">
          <InlineError error={error} />
        </div>
      )}
      {hasAnswer && (
        <div className="flex flex-col gap-1 px-4 pb-2 text-sm">
          {isBuiltIn && models.data && <BuiltInNote variables={models.data.variables} />}
          <TextLink path={`/widgets/${bot.id}`} className="flex w-fit items-center gap-1 underline-offset-2">
            <ExternalLink aria-hidden className="size-4" />
            Put it on your site
          </TextLink>
        </div>
      )}
      <Composer
        label="Message"
        placeholder="Ask something…"
        onSend={chat.send}
        onStop={chat.isRunning && chat.conversationId ? () => attempt(chat.stop()) : undefined}
        disabledReason={reasonNotToSend(bot.status, readiness.isWaiting, chat)}
      />
    </section>
  );
}

function reasonNotToSend(
  status: 'active' | 'inactive',
  isWaiting: boolean,
  { state }: TestChatState,
): string | undefined {
  if (status === 'inactive') return 'This bot is inactive. Activate it to test it.';
  if (isWaiting) return 'Just a moment: its knowledge is being read.';
  if (state.conversation.needs_human)
    return 'It has asked for a person. Start a new conversation to continue.';
  return state.conversation.status === 'paused' ? 'A call waits for your approval above.' : undefined;
}
