import type { Branch } from '@svc/contract/branches';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from '../../../kit/buttons.tsx';

/** The branch that a message begins, among those of its place. */
export interface Alternatives {
  branches: readonly Branch[];
  /** Of the one that is shown, counted from 0. */
  index: number;
}

/** By the message that begins the branch. Empty where nothing was answered again or edited. */
export function alternativesOf(branches: readonly Branch[]): Map<string, Alternatives> {
  const places = Map.groupBy(branches, ({ after_message_id: after }) => after);
  return new Map(
    [...places.values()].flatMap((ofPlace) =>
      ofPlace.map(({ first_message_id: id }, index) => [id, { branches: ofPlace, index }] as const),
    ),
  );
}

interface BranchSwitchProps {
  alternatives: Alternatives;
  onChoose: (branchId: string) => void;
}

/** Leads to the other versions of a message, and what followed them. */
export function BranchSwitch({ alternatives: { branches, index }, onChoose }: BranchSwitchProps) {
  const [before, after] = [branches[index - 1], branches[index + 1]];
  return (
    <span role="group" aria-label="Versions of this message" className="inline-flex items-center">
      <IconButton
        label="Previous version"
        icon={<ChevronLeft aria-hidden />}
        className="size-6"
        isDisabled={!before}
        onPress={() => before && onChoose(before.id)}
      />
      <span>
        {index + 1} of {branches.length}
      </span>
      <IconButton
        label="Next version"
        icon={<ChevronRight aria-hidden />}
        className="size-6"
        isDisabled={!after}
        onPress={() => after && onChoose(after.id)}
      />
    </span>
  );
}
