import type { CannedReplyPlaceholder } from '@svc/contract/canned-replies';
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { cannedRepliesQuery } from '../../../api/canned-replies.ts';
import { PageLink, useWorkspace } from '../../../app/workspace.tsx';
import { NameText } from '../../../kit/labels.tsx';
import { fillCannedReply } from './fill-canned-reply.ts';
import { Picker } from './picker.tsx';

interface CannedRepliesProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  names: Readonly<Record<CannedReplyPlaceholder, string>>;
  onPick: (text: string) => void;
  onLeave: (typed: string) => void;
}

/** Texts that the team writes again and again, found by typing. */
export function CannedReplies({ isOpen, onOpenChange, names, onPick, onLeave }: CannedRepliesProps) {
  const { api } = useWorkspace();
  const replies = useQuery({ ...cannedRepliesQuery(api), enabled: isOpen });
  return (
    <Picker
      label="Canned replies"
      hint="/"
      icon={<MessageSquareText aria-hidden />}
      searchLabel="Find a canned reply"
      placeholder="Find a reply…"
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      query={replies}
      textOf={({ shortcut, text }) => `${shortcut} ${fillCannedReply(text, names)}`}
      empty="There are none yet."
      unmatched="None is called that."
      onLeave={onLeave}
      onPick={({ text }) => onPick(fillCannedReply(text, names))}
      footer={
        <PageLink path="/settings/replies" className="px-2 text-ink-2 text-sm underline underline-offset-2">
          Write and change them
        </PageLink>
      }
    >
      {({ shortcut, text }) => (
        <>
          <span className="font-medium font-mono text-sm">/{shortcut}</span>
          <span className="line-clamp-2 text-ink-2 text-sm" dir="auto">
            <NameText text={fillCannedReply(text, names)} />
          </span>
        </>
      )}
    </Picker>
  );
}
