import type { CannedReplyPlaceholder } from '@svc/contract/canned-replies';
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import {
  Popover as AriaPopover,
  Autocomplete,
  Dialog,
  DialogTrigger,
  Input,
  Menu,
  MenuItem,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { cannedRepliesQuery } from '../../../api/canned-replies.ts';
import { PageLink, useWorkspace } from '../../../app/workspace.tsx';
import { IconButton } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { inputClasses } from '../../../kit/fields.tsx';
import { NameText } from '../../../kit/labels.tsx';
import { InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { fillCannedReply } from './fill-canned-reply.ts';

interface CannedRepliesProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  names: Readonly<Record<CannedReplyPlaceholder, string>>;
  onPick: (text: string) => void;
}

/** Texts that the team writes again and again, found by typing. */
export function CannedReplies({ isOpen, onOpenChange, names, onPick }: CannedRepliesProps) {
  const { api } = useWorkspace();
  const replies = useQuery({ ...cannedRepliesQuery(api), enabled: isOpen });
  const { contains } = useFilter({ sensitivity: 'base' });
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={onOpenChange}>
      <IconButton label="Canned replies" hint="/" icon={<MessageSquareText aria-hidden />} />
      <AriaPopover
        placement="top start"
        className="w-96 max-w-[calc(100vw-1rem)] overflow-auto rounded-md bg-raised p-2 shadow-menu data-entering:animate-appear"
      >
        <Dialog aria-label="Canned replies" className="flex flex-col gap-2 outline-none">
          {replies.isPending && <RowsLoading rows={3} />}
          {replies.isError && <InlineError error={replies.error} onRetry={() => void replies.refetch()} />}
          {replies.data && (
            <Autocomplete filter={contains}>
              <SearchField aria-label="Find a canned reply" autoFocus>
                <Input placeholder="Find a reply…" className={classes(inputClasses, 'w-full')} />
              </SearchField>
              <Menu
                aria-label="Canned replies"
                items={replies.data}
                className="max-h-72 overflow-auto outline-none"
                renderEmptyState={() => (
                  <p className="px-2 py-1.5 text-ink-3">
                    {replies.data.length === 0 ? 'There are none yet.' : 'None is called that.'}
                  </p>
                )}
                onAction={(key) => {
                  const picked = replies.data.find(({ id }) => id === key);
                  if (picked) onPick(fillCannedReply(picked.text, names));
                  onOpenChange(false);
                }}
              >
                {({ id, shortcut, text }) => (
                  <MenuItem
                    id={id}
                    textValue={`${shortcut} ${text}`}
                    className="flex flex-col rounded-sm px-2 py-1.5 outline-none data-focused:bg-hover pointer-coarse:py-2.5"
                  >
                    <span className="font-medium font-mono text-sm">/{shortcut}</span>
                    <span className="line-clamp-2 text-ink-2 text-sm" dir="auto">
                      <NameText text={text} />
                    </span>
                  </MenuItem>
                )}
              </Menu>
            </Autocomplete>
          )}
          <PageLink path="/settings/replies" className="px-2 text-ink-2 text-sm underline underline-offset-2">
            Write and change them
          </PageLink>
        </Dialog>
      </AriaPopover>
    </DialogTrigger>
  );
}
