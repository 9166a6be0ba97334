import { type AnyRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { FailedPage } from './app/failed-page.tsx';
import { lazyPage } from './app/lazy-page.ts';
import { rootRoute, workspaceRoute } from './app/root-route.tsx';
import { parseSearch, stringifySearch } from './format/search-params.ts';

/** Makes routes below another one, each with a page that is loaded when it is first shown. */
function pagesBelow(parent: AnyRoute) {
  return <Name extends string>(path: string, ...page: Parameters<typeof lazyPage<Name>>) =>
    createRoute({ getParentRoute: () => parent, path, component: lazyPage(...page) });
}

/** An address that leads to the first of several pages. */
function firstPage(parent: AnyRoute, path: string, first: string) {
  return createRoute({
    getParentRoute: () => parent,
    path,
    beforeLoad: ({ location: { pathname, searchStr } }) => {
      redirect({ href: `${pathname.replace(/\/$/, '')}/${first}${searchStr}`, replace: true, throw: true });
    },
  });
}

const atRoot = pagesBelow(rootRoute);
const inWorkspace = pagesBelow(workspaceRoute);
const conversations = inWorkspace(
  'conversations',
  () => import('./features/conversations/conversations-page.tsx'),
  'ConversationsPage',
);
const bot = inWorkspace(
  'bots/$bot',
  () => import('./features/bots/editor/bot-editor-page.tsx'),
  'BotEditorPage',
);
const ofBot = pagesBelow(bot);

/** Every address of the console and its page. Those of a workspace are below /w/{workspace}. */
const routeTree = rootRoute.addChildren([
  atRoot('/', () => import('./features/entrance/start-page.tsx'), 'StartPage'),
  atRoot('/setup', () => import('./features/entrance/setup-page.tsx'), 'SetupPage'),
  atRoot('/sign-in', () => import('./features/entrance/sign-in-page.tsx'), 'SignInPage'),
  atRoot('/invite', () => import('./features/entrance/invite-page.tsx'), 'InvitePage'),
  atRoot('/reset', () => import('./features/entrance/reset-page.tsx'), 'ResetPage'),
  workspaceRoute.addChildren([
    inWorkspace('/', () => import('./features/overview/overview-page.tsx'), 'OverviewPage'),
    inWorkspace(
      'approvals/{-$approval}',
      () => import('./features/approvals/approvals-page.tsx'),
      'ApprovalsPage',
    ),
    conversations.addChildren([
      pagesBelow(conversations)(
        '$conversation',
        () => import('./features/conversations/conversation-view.tsx'),
        'ConversationView',
      ),
    ]),
    inWorkspace('runs', () => import('./features/runs/runs-page.tsx'), 'RunsPage'),
    inWorkspace('runs/calendar', () => import('./features/runs/calendar-page.tsx'), 'RunCalendarPage'),
    inWorkspace('bots', () => import('./features/bots/list/bots-page.tsx'), 'BotsPage'),
    inWorkspace('bots/new', () => import('./features/bots/create/new-bot-page.tsx'), 'NewBotPage'),
    bot.addChildren([
      firstPage(bot, '/', 'prompt'),
      ofBot('prompt', () => import('./features/bots/editor/prompt-tab.tsx'), 'PromptTab'),
      ofBot('model', () => import('./features/bots/editor/model-tab.tsx'), 'ModelTab'),
      ofBot('tools', () => import('./features/bots/editor/tools-tab.tsx'), 'ToolsTab'),
      ofBot('knowledge', () => import('./features/bots/editor/knowledge-tab.tsx'), 'KnowledgeTab'),
      ofBot('voice', () => import('./features/bots/editor/voice-tab.tsx'), 'VoiceTab'),
      ofBot('schedule', () => import('./features/bots/editor/schedule-tab.tsx'), 'ScheduleTab'),
      ofBot('quality', () => import('./features/bots/editor/quality-tab.tsx'), 'QualityTab'),
      ofBot('versions', () => import('./features/bots/versions/versions-tab.tsx'), 'VersionsTab'),
      ofBot('evaluations', () => import('./features/bots/evaluations/evaluations-tab.tsx'), 'EvaluationsTab'),
    ]),
    inWorkspace('knowledge', () => import('./features/knowledge/knowledge-page.tsx'), 'KnowledgePage'),
    inWorkspace(
      'knowledge/search',
      () => import('./features/knowledge/search/search-page.tsx'),
      'SearchPage',
    ),
    inWorkspace(
      'knowledge/$knowledge',
      () => import('./features/knowledge/source/source-page.tsx'),
      'SourcePage',
    ),
    inWorkspace('tools', () => import('./features/tools/tools-page.tsx'), 'ToolsPage'),
    inWorkspace('tools/new', () => import('./features/tools/editor/new-tool-page.tsx'), 'NewToolPage'),
    inWorkspace('tools/import', () => import('./features/tools/import/import-page.tsx'), 'ImportPage'),
    inWorkspace('tools/$tool', () => import('./features/tools/editor/tool-page.tsx'), 'ToolPage'),
    inWorkspace('machines', () => import('./features/machines/machines-page.tsx'), 'MachinesPage'),
    inWorkspace('widgets', () => import('./features/widgets/widgets-page.tsx'), 'WidgetsPage'),
    inWorkspace('widgets/$bot', () => import('./features/widgets/widget-page.tsx'), 'WidgetPage'),
    firstPage(workspaceRoute, 'voice', 'calls'),
    inWorkspace('voice/calls', () => import('./features/voice/calls-page.tsx'), 'CallsPage'),
    inWorkspace('voice/numbers', () => import('./features/voice/numbers-page.tsx'), 'NumbersPage'),
    inWorkspace('voice/catalog', () => import('./features/voice/catalog-page.tsx'), 'CatalogPage'),
    inWorkspace('quality', () => import('./features/quality/quality-page.tsx'), 'QualityPage'),
    inWorkspace('usage', () => import('./features/usage/usage-page.tsx'), 'UsagePage'),
    firstPage(workspaceRoute, 'settings', 'workspace'),
    inWorkspace(
      'settings/workspace',
      () => import('./features/settings/workspace/workspace-page.tsx'),
      'WorkspacePage',
    ),
    inWorkspace(
      'settings/members',
      () => import('./features/settings/members/members-page.tsx'),
      'MembersPage',
    ),
    inWorkspace('settings/keys', () => import('./features/settings/keys/keys-page.tsx'), 'KeysPage'),
    inWorkspace(
      'settings/webhooks',
      () => import('./features/settings/webhooks/webhooks-page.tsx'),
      'WebhooksPage',
    ),
    inWorkspace(
      'settings/replies',
      () => import('./features/settings/replies/replies-page.tsx'),
      'RepliesPage',
    ),
    inWorkspace('settings/data', () => import('./features/settings/retention/data-page.tsx'), 'DataPage'),
    inWorkspace('settings/audit', () => import('./features/settings/audit/audit-page.tsx'), 'AuditPage'),
    inWorkspace('settings/system', () => import('./features/settings/system/system-page.tsx'), 'SystemPage'),
    inWorkspace(
      'settings/profile',
      () => import('./features/settings/profile/profile-page.tsx'),
      'ProfilePage',
    ),
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
