import type { ConsoleMessage } from '@svc/contract/console-conversation';
import { Copy, Ellipsis, Scissors } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../../app/workspace.tsx';
import { compactCount, money } from '../../format/numbers.ts';
import { copyText, IconButton } from '../../kit/buttons.tsx';
import { Menu } from '../../kit/menu.tsx';

/** What a reply cost, and the way to its trace. */
export function MessageMeta({
  message,
  onTrace,
}: {
  message: ConsoleMessage;
  onTrace: (turnId: string) => void;
}) {
  const { turn_id: turnId, usage, cost_usd: cost, model } = message;
  if (message.role !== 'assistant') return null;
  return (
    <>
      {usage && (
        <span title={`${model}: ${usage.input_tokens} tokens read, ${usage.output_tokens} written`}>
          <span className="max-sm:hidden">
            {compactCount(usage.input_tokens)} → {compactCount(usage.output_tokens)} ·{' '}
          </span>
          {money(cost)}
        </span>
      )}
      {turnId && (usage || message.interrupted) && (
        <button
          type="button"
          onClick={() => onTrace(turnId)}
          className="rounded-sm text-accent-ink hover:underline pointer-coarse:min-h-11"
        >
          trace
        </button>
      )}
    </>
  );
}

interface MessageActionsProps {
  message: ConsoleMessage;
  isLast: boolean;
  onTruncate: (messageId: string) => void;
}

const label = 'More about this message';

/**
 * A menu with its tooltip takes most of the time of drawing a message, and there can be thousands: until it is used, a plain
 * button stands for it. It is never exchanged under the pointer, because a press would be lost.
 */
export function MessageActions(props: MessageActionsProps) {
  const [use, setUse] = useState<'focused' | 'pressed'>();
  if (use) return <MessageMenu {...props} isOpenAtFirst={use === 'pressed'} takesFocus={use === 'focused'} />;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-ink-2 pointer-coarse:size-11 [&_svg]:size-4"
      // A tap focuses it, too, but then the press follows.
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setUse('focused')}
      onClick={() => setUse('pressed')}
    >
      <Ellipsis aria-hidden />
    </button>
  );
}

interface MessageMenuProps extends MessageActionsProps {
  isOpenAtFirst: boolean;
  takesFocus: boolean;
}

function MessageMenu({ message, isLast, onTruncate, isOpenAtFirst, takesFocus }: MessageMenuProps) {
  const { can } = useWorkspace();
  return (
    <Menu
      label="Message"
      isOpenAtFirst={isOpenAtFirst}
      entries={[
        {
          label: 'Copy text',
          icon: <Copy aria-hidden />,
          onAction: () => void copyText(message.content),
        },
        {
          label: 'Copy link to this message',
          icon: <Copy aria-hidden />,
          onAction: () => void copyText(linkTo(message.id)),
        },
        can('operator') &&
          !isLast && {
            label: 'Remove everything after this',
            description: 'Shows first what cannot be undone',
            icon: <Scissors aria-hidden />,
            isFirstOfGroup: true,
            isDangerous: true,
            onAction: () => onTruncate(message.id),
          },
      ]}
    >
      <IconButton label={label} icon={<Ellipsis aria-hidden />} className="size-6" autoFocus={takesFocus} />
    </Menu>
  );
}

function linkTo(messageId: string): string {
  const url = new URL(location.href);
  url.search = `?message=${messageId}`;
  return url.href;
}
