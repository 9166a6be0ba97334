import type { Overview } from '@svc/contract/console-conversations';
import { type Api, keys, readQuery } from './client.ts';

/** Read again whenever something changes that it shows. */
export const overviewQuery = (api: Api) =>
  readQuery<Overview>(api, keys.all(api, 'overview'), '/api/console/overview');
