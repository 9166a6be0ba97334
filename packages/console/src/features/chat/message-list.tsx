import { ArrowDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { useStickToEnd } from './use-stick-to-end.ts';

/**
 * Props: `label` for screen readers; `anchorId`, the id of the message that was just sent, which moves to the top; `startId`, the id
 * of the message where reading begins (otherwise the end); `sentId`, the id of what the reader has sent, which is scrolled to; `children`, usually `<Message>`s; `isNarrow` for a side pane.
 */
interface MessageListProps {
  label: string;
  anchorId?: string | undefined;
  startId?: string | undefined;
  sentId?: string | undefined;
  isNarrow?: boolean;
  children: ReactNode;
}

/** The scrolling log of a chat. Fills its parent, which must have a height. */
export function MessageList({
  label,
  anchorId,
  startId,
  sentId,
  isNarrow = false,
  children,
}: MessageListProps) {
  const { scroll, content, room, hasNew, goToEnd } = useStickToEnd({ anchorId, startId, sentId });
  return (
    <div className="relative min-h-0 flex-1">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it */}
      <div
        ref={scroll}
        role="log"
        aria-label={label}
        aria-live="off"
        tabIndex={0}
        className="h-full overflow-y-auto"
      >
        <div
          ref={content}
          className={classes(
            'flex flex-col gap-4 py-4',
            isNarrow ? 'px-4' : 'mx-auto max-w-3xl px-4 md:px-6',
          )}
        >
          {children}
        </div>
        <div ref={room} aria-hidden />
      </div>
      {hasNew && (
        <Button
          look="secondary"
          size="small"
          icon={<ArrowDown aria-hidden />}
          onPress={goToEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-menu"
        >
          New
        </Button>
      )}
    </div>
  );
}
