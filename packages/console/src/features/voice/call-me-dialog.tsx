import type { BotSettings } from '@svc/contract/bots';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { ListedConversation } from '@svc/contract/console-conversations';
import type { ConversationDetail } from '@svc/contract/conversations';
import type { VoiceNumber } from '@svc/contract/voice-numbers';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { callQuery, numbersQuery, placeCall, voiceQuery } from '../../api/voice.ts';
import { useSubmit } from '../../app/use-submit.ts';
import { TextLink, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Dialog, FormDialog } from '../../kit/dialogs.tsx';
import { Select, TextField } from '../../kit/fields.tsx';
import { Bar, InlineError, Loading } from '../../kit/placeholders.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { useLiveChanges } from '../../live/live-context.ts';
import { CallDuration } from './call-duration.tsx';
import { isOpen, otherSideOf, outcomeOf } from './call-texts.ts';
import { describeDestinations } from './dial-texts.ts';
import { EndCallButton } from './end-call-button.tsx';

interface CallMeDialogProps {
  /** `new`, or the id of a call that was placed. */
  call: string;
  onPlaced: (callId: string) => void;
  onAgain: () => void;
  onClose: () => void;
}

/** Has a bot call a number, and follows the call. */
export function CallMeDialog({ call, onPlaced, onAgain, onClose }: CallMeDialogProps) {
  if (call === 'new') return <CallForm onPlaced={onPlaced} onClose={onClose} />;
  return <FollowedCall callId={call} onAgain={onAgain} onClose={onClose} />;
}

function CallForm({ onPlaced, onClose }: Pick<CallMeDialogProps, 'onPlaced' | 'onClose'>) {
  const { api } = useWorkspace();
  const bots = useQuery(botsQuery(api));
  const numbers = useQuery(numbersQuery(api));
  const voice = useQuery(voiceQuery(api));
  const [botId, setBotId] = useState<string | null>(null);
  const [to, setTo] = useState('');
  const callers = callersOf(bots.data ?? [], numbers.data ?? []);
  const chosen = botId ?? callers[0]?.id ?? null;
  const form = useSubmit(async () => {
    const body = { bot_id: chosen ?? '', to_number: to.replaceAll(/[\s()./-]/g, '') };
    onPlaced((await placeCall(api, body)).data.call_id);
  }, ['to_number']);
  const isKnown = bots.data !== undefined && numbers.data !== undefined;
  return (
    <FormDialog
      title="Call me"
      action="Call"
      isBusy={form.isBusy}
      isDisabled={chosen === null || to.trim() === ''}
      error={form.error ?? bots.error ?? numbers.error}
      onSubmit={() => void form.submit()}
      onClose={onClose}
    >
      {isKnown && callers.length === 0 ? (
        <p className="text-ink-2">
          No bot can place calls yet. A bot needs “May place calls” on the Voice tab of{' '}
          <TextLink path="/bots">its editor</TextLink>, and{' '}
          <TextLink path="/voice/numbers">a number that it calls from</TextLink>.
        </p>
      ) : (
        <>
          <Select
            label="Which bot calls?"
            options={callers.map(({ id, name, from }) => ({
              value: id,
              label: name,
              description: `from ${from}`,
            }))}
            value={chosen}
            onChange={setBotId}
          />
          <TextField
            label="Your number"
            type="tel"
            autoFocus
            autoComplete="tel"
            placeholder="+1 202 555 0100"
            description={`With the country code. ${voice.data ? describeDestinations(voice.data.dialing) : ''}`}
            value={to}
            onChange={setTo}
            error={form.at('to_number')}
          />
        </>
      )}
    </FormDialog>
  );
}

function FollowedCall({
  callId,
  onAgain,
  onClose,
}: Omit<CallMeDialogProps, 'call' | 'onPlaced'> & { callId: string }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const options = callQuery(api, callId);
  const { data, error, refetch } = useQuery(options);
  useLiveChanges(({ object, id, data: row }) => {
    if (object !== 'conversation' || id !== callId || !row) return;
    const { call } = row as ListedConversation;
    client.setQueryData(options.queryKey, (before) => withCall(before, call));
  });
  const call = data?.call;
  const isRunning = call !== undefined && isOpen(call);
  return (
    <Dialog
      title={call ? `Call ${otherSideOf(call).toLowerCase()}` : 'Call'}
      onClose={onClose}
      size="small"
      actions={
        <>
          {isRunning && <EndCallButton callId={callId} />}
          {call && !isRunning && <Button onPress={onAgain}>Call again</Button>}
          <Button onPress={onClose}>Close</Button>
        </>
      }
    >
      {error && !data && <InlineError error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Loading label="Loading the call">
          <Bar className="w-1/2" />
        </Loading>
      )}
      {call && (
        <div className="flex flex-col gap-2">
          <p role="status" className="flex items-center gap-3 text-lg">
            <StateBadge {...outcomeOf(call)} isFilled />
            <CallDuration call={call} />
          </p>
          {call.end_detail && <p className="text-ink-2">{call.end_detail}</p>}
          {isRunning && <p className="text-ink-2">You can close this: the call continues.</p>}
          <TextLink path={`/conversations/${callId}`} className="w-fit">
            {isRunning ? 'Follow the conversation' : 'Read the conversation'}
          </TextLink>
        </div>
      )}
    </Dialog>
  );
}

function withCall(before: ConversationDetail | undefined, call: ListedConversation['call']) {
  if (!before?.call || !call) return before;
  return { ...before, status: call.status, call: { ...before.call, ...call } };
}

type CallerBot = Pick<ConsoleBot, 'id' | 'name' | 'status' | 'settings'>;
type CallerNumber = Pick<VoiceNumber, 'bot_id' | 'phone_number' | 'is_outbound_primary'>;

/** The bots that can place calls, and the number that each calls from. */
function callersOf(
  bots: readonly CallerBot[],
  numbers: readonly CallerNumber[],
): { id: string; name: string; from: string }[] {
  return bots.flatMap(({ id, name, status, settings }) => {
    const { outbound_calls_enabled: mayCall } = JSON.parse(settings) as BotSettings;
    const own = numbers.find((number) => number.bot_id === id && number.is_outbound_primary);
    return status === 'active' && mayCall && own ? [{ id, name, from: own.phone_number }] : [];
  });
}
