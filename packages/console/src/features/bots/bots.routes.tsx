import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

const botRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'bots/$bot',
  component: lazyPage(() => import('./editor/bot-editor-page.tsx'), 'BotEditorPage'),
});

const getParentRoute = () => botRoute;

export const botRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'bots',
    component: lazyPage(() => import('./list/bots-page.tsx'), 'BotsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'bots/new',
    component: lazyPage(() => import('./create/new-bot-page.tsx'), 'NewBotPage'),
  }),
  botRoute.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      component: lazyPage(() => import('./editor/first-tab.tsx'), 'FirstTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'prompt',
      component: lazyPage(() => import('./editor/prompt-tab.tsx'), 'PromptTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'model',
      component: lazyPage(() => import('./editor/model-tab.tsx'), 'ModelTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'tools',
      component: lazyPage(() => import('./editor/tools-tab.tsx'), 'ToolsTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'knowledge',
      component: lazyPage(() => import('./editor/knowledge-tab.tsx'), 'KnowledgeTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'voice',
      component: lazyPage(() => import('./editor/voice-tab.tsx'), 'VoiceTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'schedule',
      component: lazyPage(() => import('./editor/schedule-tab.tsx'), 'ScheduleTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'quality',
      component: lazyPage(() => import('./editor/quality-tab.tsx'), 'QualityTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'versions',
      component: lazyPage(() => import('./versions/versions-tab.tsx'), 'VersionsTab'),
    }),
    createRoute({
      getParentRoute,
      path: 'evaluations',
      component: lazyPage(() => import('./evaluations/evaluations-tab.tsx'), 'EvaluationsTab'),
    }),
  ]),
];
