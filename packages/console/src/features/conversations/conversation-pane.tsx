import { useState } from 'react';
import type { ConversationState } from '../../api/conversation.ts';
import { useShortcuts } from '../../app/shortcuts/use-shortcuts.ts';
import { useSearchState } from '../../app/workspace.tsx';
import { CallHeader } from './call/call-header.tsx';
import { ConversationDialogs, type OpenDialog } from './conversation-dialogs.tsx';
import { ConversationFooter } from './conversation-footer.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { ConversationLog } from './conversation-log.tsx';
import { InfoPanel } from './info-panel.tsx';
import { TracePanel } from './trace/trace-panel.tsx';
import { useStop } from './use-stop.ts';

/** The log with its header and composer, and what is open beside it. The address says what that is. */
export function ConversationPane({ state }: { state: ConversationState }) {
  const { conversation } = state;
  const [search, setSearch] = useSearchState();
  const [dialog, setDialog] = useState<OpenDialog>();
  const { panel } = search;
  const close = () => setSearch({ panel: undefined, turn: undefined, step: undefined });
  const toggle = (name: 'trace' | 'info') =>
    name === panel ? close() : setSearch({ panel: name }, { push: true });
  const stop = useStop(conversation);
  useShortcuts('Conversation', [
    { keys: '.', label: 'Stop', run: stop.stop },
    { keys: 't', label: 'Trace', run: () => toggle('trace') },
    { keys: 'i', label: 'Details', run: () => toggle('info') },
    ...(panel ? [{ keys: 'Escape', label: 'Close the panel', run: close }] : []),
  ]);
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-1">
      <section aria-label={conversation.title} className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConversationHeader
          conversation={conversation}
          stop={stop}
          panel={panel}
          onPanel={toggle}
          onDialog={setDialog}
        />
        {conversation.call && <CallHeader call={conversation.call} />}
        <ConversationLog
          state={state}
          markedId={search['message']}
          onTrace={(turn) => setSearch({ panel: 'trace', turn, step: undefined }, { push: true })}
          onTruncate={(messageId) => setDialog({ name: 'truncate', messageId })}
        />
        <ConversationFooter conversation={conversation} />
      </section>
      {panel === 'trace' && <TracePanel conversation={conversation} onClose={close} />}
      {panel === 'info' && <InfoPanel conversation={conversation} onClose={close} />}
      <ConversationDialogs conversation={conversation} open={dialog} onClose={() => setDialog(undefined)} />
    </div>
  );
}
