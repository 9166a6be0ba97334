import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

const botRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'bots/$bot',
  component: lazyRouteComponent(() => import('./editor/bot-editor-page.tsx'), 'BotEditorPage'),
});

const getParentRoute = () => botRoute;

export const botRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'bots',
    component: lazyRouteComponent(() => import('./list/bots-page.tsx'), 'BotsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'bots/new',
    component: lazyRouteComponent(() => import('./create/new-bot-page.tsx'), 'NewBotPage'),
  }),
  botRoute.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./editor/first-tab.tsx'), 'FirstTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'prompt',
      component: lazyRouteComponent(() => import('./editor/prompt-tab.tsx'), 'PromptTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'model',
      component: lazyRouteComponent(() => import('./editor/model-tab.tsx'), 'ModelTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'tools',
      component: lazyRouteComponent(() => import('./editor/tools-tab.tsx'), 'ToolsTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'knowledge',
      component: lazyRouteComponent(() => import('./editor/knowledge-tab.tsx'), 'KnowledgeTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'voice',
      component: lazyRouteComponent(() => import('./editor/voice-tab.tsx'), 'VoiceTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'schedule',
      component: lazyRouteComponent(() => import('./editor/schedule-tab.tsx'), 'ScheduleTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'quality',
      component: lazyRouteComponent(() => import('./editor/quality-tab.tsx'), 'QualityTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'versions',
      component: lazyRouteComponent(() => import('./versions/versions-tab.tsx'), 'VersionsTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'evaluations',
      component: lazyRouteComponent(() => import('./evaluations/evaluations-tab.tsx'), 'EvaluationsTab'),
    }),
  ]),
];
