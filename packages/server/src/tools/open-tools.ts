import type { Feature, Services } from '../services.ts';
import { toolRoutes } from './tools.routes.ts';
import { createToolService, type ToolDependencies } from './tools.service.ts';

export function openTools(services: ToolDependencies): Feature<Pick<Services, 'registry' | 'tools'>> {
  return {
    services: { tools: createToolService(services), registry: services.registry },
    routes: [toolRoutes],
  };
}
