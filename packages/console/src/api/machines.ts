import type { Machine, MachineUpdate, PairedMachine } from '@svc/contract/machines';
import { type Api, keys, readQuery } from './client.ts';

export const machinesQuery = (api: Api) =>
  readQuery<Machine[]>(api, keys.list(api, 'machine'), '/api/v1/machines');

export const pairMachine = (api: Api, name: string) => api.post<PairedMachine>('/api/v1/machines', { name });

export const changeMachine = (api: Api, id: string, change: MachineUpdate) =>
  api.patch<Machine>(`/api/v1/machines/${id}`, change);

export const revokeMachine = (api: Api, id: string) => api.delete(`/api/v1/machines/${id}`);
