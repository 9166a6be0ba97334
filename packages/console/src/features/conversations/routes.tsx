import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

/** The list, with the selected conversation beside it. */
const conversationsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'conversations',
  component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

export const conversationRoutes = [
  conversationsRoute.addChildren([
    createRoute({
      getParentRoute: () => conversationsRoute,
      path: '$conversation',
      component: lazyRouteComponent(() => import('./conversation-view.tsx'), 'ConversationView'),
    }),
  ]),
];
