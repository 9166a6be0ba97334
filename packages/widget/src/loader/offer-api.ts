import type { WidgetApi } from '../protocol.ts';
import { warn } from './warn.ts';

/** Sets `window.svc`, unless the page uses that name for something else. */
export function offerApi(api: WidgetApi): void {
  if (Object.hasOwn(window, 'svc')) return warn('window.svc exists already and is left alone.');
  Object.defineProperty(window, 'svc', { value: Object.freeze(api), configurable: true });
}
