import { createShared } from './shared-value.ts';

const name = 'svc_technical';

/** Whether conversations also show tokens, costs and traces. Remembered in this browser. */
const [useTechnical, redraw] = createShared(() => localStorage.getItem(name) === '1');

export { useTechnical };

export function setTechnical(isOn: boolean): void {
  if (isOn) localStorage.setItem(name, '1');
  else localStorage.removeItem(name);
  redraw();
}
