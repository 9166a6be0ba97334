import type { Ability } from '@svc/contract/abilities';
import { Checkbox } from '../../../kit/checkbox.tsx';
import { abilityGroups } from './ability-groups.ts';

interface AbilityFieldsProps {
  value: ReadonlySet<Ability>;
  onChange: (value: ReadonlySet<Ability>) => void;
}

/** One line per part of the API. */
export function AbilityFields({ value, onChange }: AbilityFieldsProps) {
  function set(ability: Ability, isOn: boolean): void {
    const next = new Set(value);
    if (isOn) next.add(ability);
    else next.delete(ability);
    onChange(next);
  }

  return (
    <div className="flex flex-col rounded-md border border-line">
      {abilityGroups().map((group) => (
        <fieldset
          key={group.name}
          className="flex flex-wrap items-center gap-x-6 gap-y-1 border-line border-b px-3 py-2 last:border-b-0"
        >
          <legend className="float-left w-40 text-sm">{group.label}</legend>
          {group.abilities.map(({ ability, label }) => (
            <Checkbox key={ability} isSelected={value.has(ability)} onChange={(isOn) => set(ability, isOn)}>
              {label}
            </Checkbox>
          ))}
        </fieldset>
      ))}
    </div>
  );
}
