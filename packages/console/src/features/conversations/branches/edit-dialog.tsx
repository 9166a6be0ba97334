import { useState } from 'react';
import { editMessage } from '../../../api/conversations.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { FormDialog } from '../../../kit/dialogs.tsx';
import { TextAreaField } from '../../../kit/fields.tsx';

interface EditDialogProps {
  conversationId: string;
  message: { id: string; content: string };
  onClose: () => void;
}

/** Puts another text in the place of what a user wrote. */
export function EditDialog({ conversationId, message, onClose }: EditDialogProps) {
  const { api } = useWorkspace();
  const [text, setText] = useState(message.content);
  const { submit, isBusy, error } = useSubmit(async () => {
    await editMessage(api, conversationId, message.id, text.trim());
    onClose();
  });
  return (
    <FormDialog
      title="Edit the user's message"
      action="Send"
      isBusy={isBusy}
      isDisabled={text.trim() === '' || text.trim() === message.content}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextAreaField
        label="Message"
        description="The bot answers the new text, and the user sees both. The message as it was is kept with what followed: the arrows beside it show it."
        value={text}
        onChange={setText}
        autoFocus
      />
    </FormDialog>
  );
}
