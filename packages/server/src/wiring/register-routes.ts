import { agentRoutes } from '../agents/routes.ts';
import { scheduleRoutes } from '../agents/schedules/routes.ts';
import { approvalPageRoutes } from '../approvals/page/routes.ts';
import { approvalRoutes } from '../approvals/routes.ts';
import { usageRoutes } from '../billing/routes.ts';
import { botRoutes } from '../bots/routes.ts';
import { botVersionRoutes } from '../bots/versions/routes.ts';
import { deskRoutes } from '../conversations/desk/routes.ts';
import { conversationRoutes } from '../conversations/routes.ts';
import { discoverRoutes } from '../discover/routes.ts';
import { endUserErasureRoutes } from '../end-users/erasure/routes.ts';
import { endUserRoutes } from '../end-users/routes.ts';
import { evaluationRoutes } from '../evaluations/routes.ts';
import { docsRoutes } from '../http/docs/docs-routes.ts';
import { healthRoutes } from '../http/health.ts';
import type { HttpApp } from '../http/http-app.ts';
import { knowledgeRoutes } from '../knowledge/routes.ts';
import { machineRoutes } from '../machines/routes.ts';
import { postCallHookRoutes } from '../post-call-hooks/routes.ts';
import { toolRoutes } from '../tools/routes.ts';
import { turnRoutes } from '../turns/routes.ts';
import { widgetFileRoutes } from '../widgets/files/routes.ts';
import { lookRoutes } from '../widgets/look/routes.ts';
import { widgetRoutes } from '../widgets/routes.ts';
import { visitorRoutes } from '../widgets/visitor/routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

type Needs<Routes extends (http: HttpApp, dependencies: never) => unknown> = Parameters<Routes>[1];

export type RouteDependencies = Needs<typeof healthRoutes> &
  Needs<typeof workspaceRoutes> &
  Needs<typeof botRoutes> &
  Needs<typeof botVersionRoutes> &
  Needs<typeof postCallHookRoutes> &
  Needs<typeof toolRoutes> &
  Needs<typeof knowledgeRoutes> &
  Needs<typeof machineRoutes> &
  Needs<typeof discoverRoutes> &
  Needs<typeof usageRoutes> &
  Needs<typeof conversationRoutes> &
  Needs<typeof deskRoutes> &
  Needs<typeof endUserRoutes> &
  Needs<typeof endUserErasureRoutes> &
  Needs<typeof agentRoutes> &
  Needs<typeof scheduleRoutes> &
  Needs<typeof evaluationRoutes> &
  Needs<typeof approvalRoutes> &
  Needs<typeof approvalPageRoutes> &
  Needs<typeof widgetRoutes> &
  Needs<typeof lookRoutes> &
  Needs<typeof visitorRoutes> &
  Omit<Needs<typeof turnRoutes>, 'channel'>;

/** Every operation of the API, in the order of its document. Each feature takes what it needs from the dependencies. */
export async function registerRoutes(http: HttpApp, dependencies: RouteDependencies): Promise<void> {
  healthRoutes(http, dependencies);
  docsRoutes(http);
  workspaceRoutes(http, dependencies);
  botRoutes(http, dependencies);
  botVersionRoutes(http, dependencies);
  postCallHookRoutes(http, dependencies);
  toolRoutes(http, dependencies);
  await knowledgeRoutes(http, dependencies);
  machineRoutes(http, dependencies);
  await discoverRoutes(http, dependencies);
  usageRoutes(http, dependencies);
  conversationRoutes(http, dependencies);
  deskRoutes(http, dependencies);
  endUserRoutes(http, dependencies);
  endUserErasureRoutes(http, dependencies);
  agentRoutes(http, dependencies);
  scheduleRoutes(http, dependencies);
  evaluationRoutes(http, dependencies);
  approvalRoutes(http, dependencies);
  await approvalPageRoutes(http, dependencies);
  turnRoutes(http, { ...dependencies, channel: 'chat' });
  widgetRoutes(http, dependencies);
  lookRoutes(http, dependencies);
  visitorRoutes(http, dependencies);
  widgetFileRoutes(http);
  await http.ready();
}
