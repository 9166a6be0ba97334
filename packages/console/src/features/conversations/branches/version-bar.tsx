import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { chooseBranch } from '../../../api/conversations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { announce } from '../../../kit/announce.ts';
import { Button } from '../../../kit/buttons.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import type { Version } from './use-version.ts';

interface VersionBarProps {
  /** What the user sees. */
  conversation: ConsoleConversation;
  version: Version;
  onBack: () => void;
}

/** In the place of the composer while a version is read that the user does not see. */
export function VersionBar({ conversation, version: { branch, state }, onBack }: VersionBarProps) {
  const { api, can } = useWorkspace();
  const { id, branches, messages } = conversation;
  const inForce = new Set(messages.map((message) => message.id));
  const shown = new Set(state.conversation.messages.map((message) => message.id));
  // The first of them is where what the user sees differs; the others follow what is put aside with it.
  const begun = branches.filter(({ first_message_id: first }) => shown.has(first) && !inForce.has(first));
  const place = branches.filter(({ after_message_id: after }) => after === begun[0]?.after_message_id);
  const numberOf = (isWanted: (one: typeof branch) => boolean) => place.findIndex(isWanted) + 1;
  const text = `You are reading version ${numberOf((one) => one === begun[0])}. The user sees version ${numberOf((one) => one.is_current)}.`;

  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      for (const one of begun) if (!one.is_current) await chooseBranch(api, id, one.id);
    },
  });
  useEffect(() => announce(text), [text]);
  // The button that had the focus goes with the bar.
  useEffect(
    () => () => {
      if (document.activeElement === document.body)
        document.querySelector<HTMLElement>('[role=log]')?.focus();
    },
    [],
  );
  return (
    <footer className="flex flex-col gap-2 border-line border-t bg-info-tint px-4 py-3">
      {error && <InlineError error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-64 text-info-ink text-sm">{text}</p>
        <div className="flex flex-wrap gap-2">
          {can('operator') && (
            <Button isBusy={isPending} onPress={() => mutate()}>
              Continue from this version
            </Button>
          )}
          <Button look="primary" onPress={onBack}>
            Back to what the user sees
          </Button>
        </div>
      </div>
    </footer>
  );
}
