import { createRouter } from '@tanstack/react-router';
import { FailedPage } from './app/failed-page.tsx';
import { rootRoute, workspaceRoute } from './app/root-route.tsx';
import { approvalRoutes } from './features/approvals/routes.tsx';
import { botRoutes } from './features/bots/routes.tsx';
import { conversationRoutes } from './features/conversations/routes.tsx';
import { entranceRoutes } from './features/entrance/routes.tsx';
import { knowledgeRoutes } from './features/knowledge/routes.tsx';
import { machineRoutes } from './features/machines/routes.tsx';
import { overviewRoutes } from './features/overview/routes.tsx';
import { qualityRoutes } from './features/quality/routes.tsx';
import { runRoutes } from './features/runs/routes.tsx';
import { settingsRoutes } from './features/settings/routes.tsx';
import { toolRoutes } from './features/tools/routes.tsx';
import { usageRoutes } from './features/usage/routes.tsx';
import { voiceRoutes } from './features/voice/routes.tsx';
import { widgetRoutes } from './features/widgets/routes.tsx';
import { parseSearch, stringifySearch } from './format/search-params.ts';

const routeTree = rootRoute.addChildren([
  ...entranceRoutes,
  workspaceRoute.addChildren([
    ...overviewRoutes,
    ...approvalRoutes,
    ...conversationRoutes,
    ...runRoutes,
    ...botRoutes,
    ...knowledgeRoutes,
    ...toolRoutes,
    ...machineRoutes,
    ...widgetRoutes,
    ...voiceRoutes,
    ...qualityRoutes,
    ...usageRoutes,
    ...settingsRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: FailedPage,
  scrollRestoration: true,
  scrollToTopSelectors: ['#main'],
});
