import type { ConsoleStage, Desk, DeskOptions } from '../support/console.ts';

/** A state that every page can be in. */
export interface State {
  open(stage: ConsoleStage, options: DeskOptions): Promise<Desk>;
  /** Begins after the first page was loaded. */
  begin?(desk: Desk): Promise<unknown>;
  /** The pages wait for something that does not come. */
  isEndless?: boolean;
}

/** Everything except for the files of the console and the session. */
const data = /\/api\/(v1|console\/(?!session))/;

/** An owner in the seeded workspace. */
export const usual: State = { open: (stage, options) => stage.signIn('owner', options) };

export const states: Record<string, State> = {
  empty: {
    async open(stage, options) {
      const { id } = await stage.makeWorkspace('Nothing yet');
      return stage.signIn('owner', { ...options, workspaceId: id });
    },
  },
  viewer: { open: (stage, options) => stage.signIn('viewer', options) },
  failed: {
    ...usual,
    begin: ({ page }) =>
      page.route(data, (route) =>
        route.fulfill({ status: 503, json: { code: 'NOT_READY', message: 'The service is starting.' } }),
      ),
  },
  offline: { ...usual, begin: ({ page }) => page.context().setOffline(true) },
  loading: {
    ...usual,
    // Never answered.
    begin: ({ page }) => page.route(data, () => undefined),
    isEndless: true,
  },
};
