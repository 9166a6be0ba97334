import type { Machine, MachineUpdate, PairedMachine } from '@svc/contract/machines';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from './client.ts';
import { keys } from './keys.ts';

export const machinesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.list(api.workspaceId, 'machine'),
    queryFn: ({ signal }) => api.get<Machine[]>('/api/v1/machines', {}, signal),
  });

export const pairMachine = (api: Api, name: string) => api.post<PairedMachine>('/api/v1/machines', { name });

export const changeMachine = (api: Api, id: string, change: MachineUpdate) =>
  api.patch<Machine>(`/api/v1/machines/${id}`, change);

export const revokeMachine = (api: Api, id: string) => api.delete(`/api/v1/machines/${id}`);
