import type { QueryClient } from '@tanstack/react-query';
import type { Api } from '../../api/client.ts';
import { rereadKnowledge, restoreSource } from '../../api/knowledge.ts';
import { messageOf } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';

/** For the button of a notice: the row that could show a failure is gone. */
export async function undoDelete(
  client: QueryClient,
  api: Api,
  { id, title }: { id: string; title: string },
): Promise<void> {
  try {
    await restoreSource(api, id);
  } catch (failure) {
    notify({ text: `${title} was not restored. ${messageOf(failure)}`, isError: true });
  }
  await rereadKnowledge(client, api);
}
