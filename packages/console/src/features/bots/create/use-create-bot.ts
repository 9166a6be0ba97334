import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { botsQuery, createBot, deactivateBot } from '../../../api/bots.ts';
import { addSource } from '../../../api/knowledge.ts';
import { useGo, useWorkspace } from '../../../app/workspace.tsx';
import { notify } from '../../../kit/toast.tsx';
import type { NewSource } from '../knowledge/source-dialog.tsx';
import { requireUsable, uploadFiles } from '../knowledge/upload-files.ts';
import { nameOfFile, promptFor } from './name-of-file.ts';

/** The ways to create a bot. Each ends in its editor, with the test open. */
export function useCreateBot() {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const go = useGo();
  const [isBusy, setBusy] = useState(false);

  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);

  /** A person who has gone to another page meanwhile stays there. */
  function open(botId: string): void {
    void queries.invalidateQueries({ queryKey: botsQuery(api).queryKey });
    const show = () => go(`/bots/${botId}/prompt`, { test: '1' });
    if (isHere.current) show();
    else notify({ text: 'Your bot is ready.', action: { label: 'Open', run: show } });
  }

  /** A bot that knows nothing is of no use to those who wanted one that does: it is made inactive again. */
  async function withKnowledge(name: string, add: (botId: string) => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      const { id } = await createBot(api, { name, system_prompt: promptFor(name) });
      try {
        await add(id);
      } catch (error) {
        await deactivateBot(api, id);
        throw error;
      }
      open(id);
    } finally {
      setBusy(false);
    }
  }

  return {
    isBusy,

    async fromFiles(files: readonly File[]): Promise<void> {
      requireUsable(files);
      await withKnowledge(nameOfFile(files[0]?.name ?? ''), async (botId) => {
        const reasons = await uploadFiles(api, botId, files);
        for (const text of reasons) notify({ text, isError: true });
      });
    },

    fromSource: (source: NewSource): Promise<void> => {
      const name = source.content_type === 'url' ? hostOf(source.url) : source.title?.trim();
      return withKnowledge(name || 'New bot', async (botId) => {
        await addSource(api, { ...source, bot_id: botId });
      });
    },

    async empty(): Promise<void> {
      setBusy(true);
      try {
        const { id } = await createBot(api, {
          name: 'New bot',
          system_prompt: 'You are a helpful assistant. Answer briefly.',
        });
        open(id);
      } finally {
        setBusy(false);
      }
    },

    open,
  };
}

function hostOf(url = ''): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url;
}
