import type { Machine } from '@svc/contract/machines';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { keys } from '../../api/client.ts';
import { changeMachine } from '../../api/machines.ts';
import { membersQuery } from '../../api/members.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { announce } from '../../kit/announce.ts';
import { FormDialog } from '../../kit/dialogs.tsx';
import { Checkbox } from '../../kit/fields.tsx';
import { InlineError, RowsLoading } from '../../kit/placeholders.tsx';

/** The owner of a machine says who may use it. */
export function UseDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const { api, user } = useWorkspace();
  const client = useQueryClient();
  const [members, setMembers] = useState<readonly string[]>(machine.allowed_members);
  const [bots, setBots] = useState<readonly string[]>(machine.allowed_bots);
  const people = useQuery(membersQuery(api));
  const known = useQuery(botsQuery(api));
  const others = people.data?.filter(({ id }) => id !== user.id);
  const saving = useMutation({
    mutationFn: () =>
      changeMachine(api, machine.id, {
        // Without those who are gone: the boxes do not show them.
        allowed_members: members.filter((id) => others?.some((one) => one.id === id)),
        allowed_bots: bots.filter((id) => known.data?.some((one) => one.id === id)),
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: keys.lists(api, 'machine') });
      announce(`Saved who may use ${machine.name}`);
      onClose();
    },
  });
  const loading = people.error ?? known.error;
  return (
    <FormDialog
      title={`Who may use ${machine.name}`}
      action="Save"
      isBusy={saving.isPending}
      isDisabled={!others || !known.data}
      error={saving.error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <p className="text-ink-2">
        A bot works on this machine only if you allow the bot here, and only for you and the people you allow.
        Both are checked each time.
      </p>
      {loading && <InlineError error={loading} />}
      {!loading && (!others || !known.data) && <RowsLoading rows={3} />}
      {others && known.data && (
        <>
          <Choices legend="People besides you" nothing="Nobody else is in this workspace.">
            {others.map(({ id, name, email }) => (
              <Choice key={id} id={id} chosen={members} onChange={setMembers}>
                {name} <span className="text-ink-3">{email}</span>
              </Choice>
            ))}
          </Choices>
          <Choices legend="Bots" nothing="There is no bot yet.">
            {known.data.map(({ id, name }) => (
              <Choice key={id} id={id} chosen={bots} onChange={setBots}>
                {name}
              </Choice>
            ))}
          </Choices>
        </>
      )}
    </FormDialog>
  );
}

function Choices({ legend, nothing, children }: { legend: string; nothing: string; children: ReactNode[] }) {
  return (
    <fieldset className="mt-4">
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="flex max-h-56 flex-col gap-1 overflow-y-auto p-1">
        {children.length > 0 ? children : <p className="text-ink-3">{nothing}</p>}
      </div>
    </fieldset>
  );
}

interface ChoiceProps {
  id: string;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  children: ReactNode;
}

function Choice({ id, chosen, onChange, children }: ChoiceProps) {
  return (
    <Checkbox
      isSelected={chosen.includes(id)}
      onChange={(isChosen) => onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))}
    >
      {children}
    </Checkbox>
  );
}
