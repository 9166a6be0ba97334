import { useState } from 'react';
import { type Faults, uncorrected } from './uncorrected.ts';

/**
 * The faults whose values have not been changed since they were found. `faults` has to be the same object until the values are
 * checked again.
 */
export function useUncorrected(faults: Faults, values: unknown): Faults {
  const [checked, setChecked] = useState({ faults, values });
  if (faults !== checked.faults) setChecked({ faults, values });
  return uncorrected(faults, checked.values, values);
}
