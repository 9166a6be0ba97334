import type { WidgetApi } from '../protocol.ts';
import { warn } from './warn.ts';

/** Sets `window.svc`, unless the page uses that name for something else than a widget that it has removed. */
export function offerApi(api: WidgetApi): void {
  const page = window as { svc?: Partial<WidgetApi> };
  if (Object.hasOwn(page, 'svc') && !page.svc?.identify) return warn('window.svc is taken by the page.');
  page.svc = api;
}
