import type { Overview } from '@svc/contract/console-conversations';
import { type Api, readQuery } from './client.ts';
import { keys } from './keys.ts';

/** Read again whenever something changes that it shows. */
export const overviewQuery = (api: Api) =>
  readQuery<Overview>(api, keys.all(api, 'overview'), '/api/console/overview');
