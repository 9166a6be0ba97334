import type { Services } from '../../services.ts';
import { type ExportedList, endUserExportStore, exportedLists } from './end-user-export.store.ts';

export type EndUserExport = ReturnType<typeof createEndUserExport>;

/** Few, because one message can be large. */
const pageSize = 20;

/**
 * Everything that the service has about a person, for the person: what they wrote and were answered, and what was done for them. Left
 * out is what only the team sees of its bots: traces, grades and validations.
 */
export function createEndUserExport({
  database,
  clock,
  publicUrl,
}: Pick<Services, 'clock' | 'database' | 'publicUrl'>) {
  async function* conversationTexts(workspaceId: string, externalUserId: string): AsyncGenerator<string> {
    const query = database.within(workspaceId);
    const person = { workspaceId, externalUserId, publicUrl };
    let separator = '\n';
    let written = 0;
    let last: string | undefined;
    const pages = pagesOf((after) => endUserExportStore.listConversations(query, person, after, pageSize));
    for await (const { key, json } of pages) {
      [written, last] = [written + 1, key];
      // The object stays open for its lists.
      yield `${separator}${json.trimEnd().slice(0, -1)}`;
      for (const list of exportedLists) yield* listTexts(workspaceId, key, list);
      yield '}';
      separator = ',\n';
    }
    // What is missing in the file was there when it was begun.
    if (last !== undefined && (await endUserExportStore.countUntil(query, person, last)) < written)
      throw new Error('Conversations of the person were deleted during the export.');
  }

  async function* listTexts(
    workspaceId: string,
    conversationId: string,
    list: ExportedList,
  ): AsyncGenerator<string> {
    const query = database.within(workspaceId);
    const place = { workspaceId, conversationId, list };
    yield `,\n "${list}": [`;
    let separator = '\n  ';
    for await (const { json } of pagesOf((after) => endUserExportStore.list(query, place, after, pageSize))) {
      yield separator + json;
      separator = ',\n  ';
    }
    yield ']';
  }

  return {
    /** One JSON document, a part at a time. A person who never wrote has one without conversations. */
    async *texts(workspaceId: string, externalUserId: string): AsyncGenerator<string> {
      const head = {
        exported_at: clock.now().toISOString(),
        tenant_id: workspaceId,
        external_user_id: externalUserId,
      };
      const within = database.within(workspaceId);
      const details = await endUserExportStore.details(within, workspaceId, externalUserId);
      yield `${JSON.stringify(head).slice(0, -1)},\n"details":${details},\n"conversations":[`;
      yield* conversationTexts(workspaceId, externalUserId);
      const usage = await endUserExportStore.usage(within, workspaceId, externalUserId);
      yield `],\n"usage":${usage}}\n`;
    },
  };
}

/** Rows page by page, as they are taken. */
async function* pagesOf<Row extends { key: string }>(
  read: (after: string | undefined) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let after: string | undefined; ; ) {
    const rows = await read(after);
    yield* rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)?.key;
  }
}
