import { AtSign } from 'lucide-react';
import { membersQuery } from '../../../api/members.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { NameText } from '../../../kit/labels.tsx';
import { Picker } from './picker.tsx';

interface MentionPickerProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  onPick: (text: string) => void;
  onLeave: (typed: string) => void;
}

/** The other members of the workspace, to be mentioned in a note. */
export function MentionPicker({ isOpen, onOpenChange, onPick, onLeave }: MentionPickerProps) {
  const { user } = useWorkspace();
  const members = useRead(membersQuery);
  const others = members.data?.filter(({ id }) => id !== user.id);
  return (
    <Picker
      label="Mention somebody"
      hint="@"
      icon={<AtSign aria-hidden />}
      searchLabel="Find a member"
      placeholder="Find a member…"
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      query={{ ...members, data: others }}
      textOf={({ name, email }) => `${name} ${email}`}
      empty="Nobody else is a member."
      unmatched="Nobody is called that."
      onLeave={onLeave}
      onPick={({ name }) => onPick(`@${name} `)}
    >
      {({ name, email }) => (
        <>
          <span className="font-medium text-sm">
            <NameText text={name} />
          </span>
          <span className="truncate text-ink-3 text-sm">{email}</span>
        </>
      )}
    </Picker>
  );
}
