import pg from 'pg';

/** The PostgreSQL role of statements that belong to one workspace; row-level-security.ts says what it may see. */
export const workspaceRole = 'svc_workspace';
/** The setting with the workspace's id that the policies compare with. */
export const workspaceSetting = 'svc.workspace';

const enter = 'svc_enter_workspace';
const settings = (workspace: string) =>
  `set_config('role', '${workspaceRole}', true), set_config('${workspaceSetting}', ${workspace}, true)`;

/** Run once per connection, so that entering a workspace is not parsed again for every statement. */
export const prepareToEnter = `prepare ${enter} (text) as select ${settings('$1')}`;

/** Opens a transaction of one workspace in a single round trip. */
export function beginWithin(workspaceId: string): string {
  return `begin; select ${settings(pg.escapeLiteral(workspaceId))}`;
}

/** The parts of pg's connection and query that its types leave out. */
interface Wire {
  bind(message: { portal: string; statement: string; values: string[] }): void;
  execute(message: { portal: string; rows: number }): void;
}
interface QueryInternals {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}
const ExtendedQuery = pg.Query as unknown as new (
  config: pg.QueryConfig & { queryMode: 'extended' },
) => pg.Submittable & QueryInternals;

/**
 * A statement of one workspace. It is sent together with the one that enters the workspace: PostgreSQL runs both in one
 * implicit transaction, at whose end the settings are gone, and it costs no round trip of its own.
 */
export class WorkspaceStatement extends ExtendedQuery {
  readonly #workspaceId: string;
  #hasEntered = false;

  constructor(workspaceId: string, config: pg.QueryConfig) {
    super({ ...config, queryMode: 'extended' });
    this.#workspaceId = workspaceId;
  }

  override prepare(wire: Wire): void {
    wire.bind({ portal: '', statement: enter, values: [this.#workspaceId] });
    wire.execute({ portal: '', rows: 0 });
    super.prepare(wire);
  }

  override handleDataRow(message: unknown): void {
    if (this.#hasEntered) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#hasEntered) super.handleCommandComplete(message, wire);
    this.#hasEntered = true;
  }
}
