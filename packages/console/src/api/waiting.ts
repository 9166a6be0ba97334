import { type Api, keys, readQuery } from './client.ts';

/** What waits for a person. The socket sends it whenever it changes. */
export interface Waiting {
  approvals: number;
  handoffs: number;
}

export const waitingQuery = (api: Api) =>
  readQuery<Waiting>(api, keys.all(api, 'waiting'), '/api/console/waiting');
