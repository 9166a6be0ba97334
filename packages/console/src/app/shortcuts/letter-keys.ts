import { createShared } from '../shared-value.ts';

const name = 'svc_letter_keys';

/** People who dictate or press keys by accident can turn off the keys that are a single letter. */
export function areLetterKeysOn(): boolean {
  return localStorage.getItem(name) !== 'off';
}

const [useLetterKeys, redraw] = createShared(areLetterKeysOn);

export { useLetterKeys };

export function setLetterKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(name);
  else localStorage.setItem(name, 'off');
  redraw();
}
