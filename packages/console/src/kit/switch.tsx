import type { ReactNode } from 'react';
import { Switch as AriaSwitch } from 'react-aria-components';

interface SwitchProps {
  label: string;
  description?: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
}

export function Switch({ label, description, isOn, onChange, isDisabled }: SwitchProps) {
  return (
    <AriaSwitch
      isSelected={isOn}
      onChange={onChange}
      {...(isDisabled && { isDisabled })}
      className="group flex items-start gap-3 pointer-coarse:py-2"
    >
      <span
        aria-hidden
        className="mt-0.5 flex h-5 w-9 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition group-data-selected:border-accent group-data-selected:bg-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-ink group-data-focus-visible:outline-offset-2 group-data-disabled:opacity-50"
      >
        <span className="size-3.5 rounded-full bg-line-strong transition group-data-selected:translate-x-4 group-data-selected:bg-on-accent forced-colors:bg-[CanvasText] forced-colors:group-data-selected:bg-[Highlight]" />
      </span>
      <span>
        <span className="block font-medium text-sm">{label}</span>
        {description && <span className="block text-ink-3 text-sm">{description}</span>}
      </span>
    </AriaSwitch>
  );
}
