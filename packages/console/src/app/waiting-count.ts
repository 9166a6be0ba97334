import { createShared } from './shared-value.ts';

/** How many things wait for a person: shown in the navigation, in titles and on the icon of an installed app. */
let current = 0;

const [useWaitingCount, redraw] = createShared(() => current);

export { useWaitingCount };

export function setWaitingCount(count: number): void {
  current = count;
  redraw();
}
