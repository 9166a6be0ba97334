import type { Branch } from '@svc/contract/branches';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { IconButton } from '../../../kit/buttons.tsx';
import type { Alternatives } from './alternatives.ts';

interface BranchSwitchProps {
  alternatives: Alternatives;
  onShow: (branch: Branch) => void;
}

/** Shows the other versions of a message, and what followed them. */
export function BranchSwitch({ alternatives: { branches, index }, onShow }: BranchSwitchProps) {
  const [before, after] = [branches[index - 1], branches[index + 1]];
  const group = useRef<HTMLSpanElement>(null);
  const wasPressed = useRef(false);
  // At the first and the last version, the button that was pressed is disabled and has lost the focus.
  useLayoutEffect(() => {
    if (wasPressed.current && document.activeElement === document.body)
      group.current?.querySelector<HTMLElement>('button:enabled')?.focus();
    wasPressed.current = false;
  }, [index]);
  const show = (branch: Branch | undefined) => {
    if (!branch) return;
    wasPressed.current = true;
    onShow(branch);
  };
  return (
    <span ref={group} role="group" aria-label="Versions of this message" className="inline-flex items-center">
      <IconButton
        label="Previous version"
        icon={<ChevronLeft aria-hidden />}
        className="size-6"
        isDisabled={!before}
        onPress={() => show(before)}
      />
      <span>
        {index + 1} of {branches.length}
      </span>
      <IconButton
        label="Next version"
        icon={<ChevronRight aria-hidden />}
        className="size-6"
        isDisabled={!after}
        onPress={() => show(after)}
      />
    </span>
  );
}
