import type { Feature, Ground, Services } from '../services.ts';
import { agentRoutes } from './agents.routes.ts';
import { createAgentService } from './agents.service.ts';
import { runHistoryRoutes } from './history/run-history.routes.ts';
import { createRunHistoryService } from './history/run-history.service.ts';
import { scheduleRoutes } from './schedules/schedules.routes.ts';
import { createScheduleService } from './schedules/schedules.service.ts';

/** Agents, their schedules and what became of their runs. */
export function openAgents(
  services: Ground &
    Pick<Services, 'billing' | 'bots' | 'conversations' | 'runs' | 'turns'> & {
      /** How often schedules are checked; every second if left out. */
      scheduleEveryMilliseconds: number | undefined;
    },
): Feature<Pick<Services, 'agents' | 'runHistory' | 'schedules'>> {
  const agents = createAgentService(services);
  const schedules = createScheduleService({ ...services, runs: agents });
  const everyMilliseconds = services.scheduleEveryMilliseconds ?? 1_000;
  return {
    services: { agents, schedules, runHistory: createRunHistoryService(services) },
    routes: [agentRoutes, scheduleRoutes, runHistoryRoutes],
    rounds: [{ name: 'fire schedules', everyMilliseconds, work: schedules.fireDue }],
    stop: schedules.stop,
  };
}
