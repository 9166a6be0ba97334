import { ApiError } from '@svc/client/api-error';
import type { KnowledgeCreate } from '@svc/contract/knowledge';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addSource, rereadKnowledge } from '../../api/knowledge.ts';
import { BotSelect } from '../../app/bot-select.tsx';
import { useWorkspace } from '../../app/workspace.tsx';
import { withScheme } from '../../format/with-scheme.ts';
import { FormDialog } from '../../kit/dialogs.tsx';
import { TextAreaField, TextField } from '../../kit/fields.tsx';
import { notify } from '../../kit/toast.tsx';

interface AddSourceDialogProps {
  type: 'url' | 'text';
  initialBotId: string | undefined;
  onClose: () => void;
}

export function AddSourceDialog({ type, initialBotId, onClose }: AddSourceDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [fields, setFields] = useState({ title: '', url: '', content: '' });
  const [botId, setBotId] = useState(initialBotId);
  const adding = useMutation({
    mutationFn: (body: KnowledgeCreate) => addSource(api, body),
    onSuccess: async ({ title }) => {
      await rereadKnowledge(client, api);
      notify({ text: `Reading ${title}.` });
      onClose();
    },
  });
  const set = (name: keyof typeof fields) => (value: string) =>
    setFields((before) => ({ ...before, [name]: value }));
  const at = (path: string) => (adding.error instanceof ApiError ? adding.error.at(path) : undefined);
  const { title, url, content } = fields;
  const body: KnowledgeCreate = {
    content_type: type,
    ...(title.trim() && { title: title.trim() }),
    ...(type === 'url' ? { url: withScheme(url) } : { content }),
    ...(botId && { bot_id: botId }),
  };
  return (
    <FormDialog
      title={type === 'url' ? 'Add a web page' : 'Add text'}
      action="Add"
      isBusy={adding.isPending}
      error={adding.error}
      onSubmit={() => adding.mutate(body)}
      onClose={onClose}
    >
      {type === 'url' ? (
        <TextField
          label="Address"
          inputMode="url"
          placeholder="https://shop.example.com/returns"
          description="This page only, not the pages that it links to."
          autoFocus
          isRequired
          value={url}
          onChange={set('url')}
          error={at('url')}
        />
      ) : (
        <>
          <TextField
            label="Title"
            placeholder="Opening hours"
            autoFocus
            isRequired
            value={title}
            onChange={set('title')}
            error={at('title')}
          />
          <TextAreaField
            label="Text"
            placeholder="We are open Monday to Friday, 9 to 17."
            description={
              content.length > 40_000
                ? `${content.length} of 50,000 characters.`
                : 'Headings that begin with # help bots to find the right part.'
            }
            minRows={8}
            isRequired
            value={content}
            onChange={set('content')}
            error={at('content')}
          />
        </>
      )}
      <BotSelect label="For" value={botId} onChange={setBotId} />
    </FormDialog>
  );
}
