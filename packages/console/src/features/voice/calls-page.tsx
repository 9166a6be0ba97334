import type { ConversationStatus } from '@svc/contract/conversations';
import { ArrowUp, Phone, PhoneOutgoing } from 'lucide-react';
import { BotSelect } from '../../app/bot-select.tsx';
import { TextLink, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Select } from '../../kit/fields.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { useConversationRows } from '../conversations/list/use-conversation-rows.ts';
import { CallMeDialog } from './call-me-dialog.tsx';
import { CallTable } from './call-table.tsx';
import { outcomes } from './call-texts.ts';
import { VoiceNotice } from './voice-notice.tsx';
import { VoicePage } from './voice-page.tsx';

const every = 'every';

/** Calls as they happen, and how they ended. */
export function CallsPage() {
  const { can } = useWorkspace();
  const [{ bot, status, call }, setSearch] = useSearchState();
  const isFiltered = bot !== undefined || status !== undefined;
  const { list, rows, newCount, showNew } = useConversationRows({
    channel: 'voice',
    bot_id: bot,
    status: status as ConversationStatus | undefined,
  });
  const callMe = (
    <Button look="primary" icon={<PhoneOutgoing aria-hidden />} onPress={() => setSearch({ call: 'new' })}>
      Call me
    </Button>
  );
  return (
    <VoicePage tab="calls" actions={can('operator') && callMe}>
      <VoiceNotice isFolded />
      <div className="flex flex-wrap items-end gap-2 px-4 py-3 md:px-6">
        <BotSelect
          label="Bot"
          hideLabel
          value={bot}
          onChange={(id) => setSearch({ bot: id }, { push: true })}
          className="w-44 max-sm:flex-1"
        />
        <Select
          label="Outcome"
          hideLabel
          className="w-44 max-sm:flex-1"
          options={[{ value: every, label: 'Every outcome' }, ...outcomes]}
          value={status ?? every}
          onChange={(next) => setSearch({ status: next === every ? undefined : next }, { push: true })}
        />
        {isFiltered && (
          <Button look="quiet" onPress={() => setSearch({ bot: undefined, status: undefined })}>
            Clear
          </Button>
        )}
        {newCount > 0 && (
          <Button icon={<ArrowUp aria-hidden />} onPress={showNew}>
            {newCount} new
          </Button>
        )}
      </div>
      {list.isPending && <RowsLoading />}
      {list.isError && <LoadError query={list} className="px-4 pb-4 md:px-6" />}
      {list.isSuccess && rows.length === 0 && <NoCalls isFiltered={isFiltered} />}
      <CallTable calls={rows} />
      <ShowMore list={list} label="Show older calls" />
      {call !== undefined && can('operator') && (
        <CallMeDialog
          call={call}
          onPlaced={(id) => {
            setSearch({ call: id });
            showNew();
          }}
          onAgain={() => setSearch({ call: 'new' })}
          onClose={() => setSearch({ call: undefined })}
        />
      )}
    </VoicePage>
  );
}

function NoCalls({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No call matches">Clear a filter to see more.</EmptyState>;
  return (
    <EmptyState
      icon={<Phone aria-hidden />}
      title="Calls with your bots appear here"
      action={
        <TextLink path="/voice/numbers" className="font-medium underline-offset-2">
          Connect a number
        </TextLink>
      }
    >
      Each one as it happens: the caller, how it ended, what was said and how fast the bot answered.
    </EmptyState>
  );
}
