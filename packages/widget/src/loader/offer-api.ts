import type { WidgetApi } from '../protocol.ts';
import { warn } from './warn.ts';

/** Sets `window.svc`, unless the page uses that name for something else. */
export function offerApi(api: WidgetApi): void {
  if (Object.hasOwn(window, 'svc')) return warn('window.svc is taken by the page.');
  Object.assign(window, { svc: api });
}
