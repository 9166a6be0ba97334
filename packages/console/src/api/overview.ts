import type { Overview } from '@svc/contract/console-conversations';
import { type Api, keys, readQuery } from './client.ts';

/** Read again whenever something changes that it shows. */
export const overviewQuery = (api: Api) =>
  readQuery<Overview>(api, keys.all(api, 'overview'), '/api/console/overview');

/** What waits for a person. The socket sends it whenever it changes. */
export interface Waiting {
  approvals: number;
  handoffs: number;
}

export const waitingQuery = (api: Api) =>
  readQuery<Waiting>(api, keys.all(api, 'waiting'), '/api/console/waiting');
