import { createRouter } from '@tanstack/react-router';
import { FailedPage } from './app/failed-page.tsx';
import { rootRoute, workspaceRoute } from './app/root-route.tsx';
import { approvalRoutes } from './features/approvals/approvals.routes.tsx';
import { botRoutes } from './features/bots/bots.routes.tsx';
import { conversationRoutes } from './features/conversations/conversations.routes.tsx';
import { entranceRoutes } from './features/entrance/entrance.routes.tsx';
import { knowledgeRoutes } from './features/knowledge/knowledge.routes.tsx';
import { machineRoutes } from './features/machines/machines.routes.tsx';
import { overviewRoutes } from './features/overview/overview.routes.tsx';
import { qualityRoutes } from './features/quality/quality.routes.tsx';
import { runRoutes } from './features/runs/runs.routes.tsx';
import { settingsRoutes } from './features/settings/settings.routes.tsx';
import { toolRoutes } from './features/tools/tools.routes.tsx';
import { usageRoutes } from './features/usage/usage.routes.tsx';
import { voiceRoutes } from './features/voice/voice.routes.tsx';
import { widgetRoutes } from './features/widgets/widgets.routes.tsx';
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
