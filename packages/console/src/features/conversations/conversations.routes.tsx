import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

/** The list, with the selected conversation beside it. */
const conversationsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'conversations',
  component: lazyPage(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

export const conversationRoutes = [
  conversationsRoute.addChildren([
    createRoute({
      getParentRoute: () => conversationsRoute,
      path: '$conversation',
      component: lazyPage(() => import('./conversation-view.tsx'), 'ConversationView'),
    }),
  ]),
];
