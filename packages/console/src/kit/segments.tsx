import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import type { Option } from './select.tsx';

interface SegmentsProps<Value extends string> {
  label: string;
  options: readonly Option<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice between a few views, all of them visible. */
export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [chosen] = keys;
        if (chosen !== undefined) onChange(chosen as Value);
      }}
      className="inline-flex rounded-md border border-line-strong bg-surface"
    >
      {options.map((option) => (
        <ToggleButton
          key={option.value}
          id={option.value}
          className="h-7 px-2.5 text-ink-2 text-sm first:rounded-l-md last:rounded-r-md data-selected:bg-selected data-hovered:bg-hover data-selected:font-medium data-selected:text-accent-ink forced-colors:data-selected:bg-[Highlight] forced-colors:data-selected:text-[HighlightText] pointer-coarse:h-11"
        >
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
