import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { deleteSource, rereadKnowledge } from '../../api/knowledge.ts';
import { uploadFile } from '../../api/upload.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { messageOf } from '../../kit/placeholders.tsx';
import { acceptedFiles, refusalOf } from './refusal-of.ts';

/** Adds another file in place of one that could not be read. The old source is deleted once the new one is stored. */
export function ReplaceFile({ source }: { source: KnowledgeSource }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const replacing = useMutation({
    mutationFn: async (file: File) => {
      const refusal = refusalOf(file);
      if (refusal) throw new Refused(refusal);
      const botId = source.bot_id ?? undefined;
      const signal = new AbortController().signal;
      await uploadFile(api, file, { botId, onProgress: () => undefined, signal });
      await deleteSource(api, source.id, 'soft');
    },
    onSettled: () => rereadKnowledge(client, api),
  });
  return (
    <>
      {replacing.error && (
        <span role="alert" className="text-danger-ink text-sm">
          {replacing.error instanceof Refused ? replacing.error.message : messageOf(replacing.error)}
        </span>
      )}
      <Button size="small" isBusy={replacing.isPending} onPress={() => chooser.current?.click()}>
        Replace
      </Button>
      <input
        ref={chooser}
        type="file"
        hidden
        accept={acceptedFiles}
        aria-label={`A file in place of ${source.title}`}
        onChange={(event) => {
          const file = event.target.files?.[0];
          // The same file can be chosen again once it is repaired.
          event.target.value = '';
          if (file) replacing.mutate(file);
        }}
      />
    </>
  );
}

/** A file that was not even sent. */
class Refused extends Error {}
