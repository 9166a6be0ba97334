import { RadioGroup } from '../../../kit/radio-group.tsx';
import { TextAreaField, TextField } from '../../../kit/text-field.tsx';
import { useBotEditor } from './editor-context.tsx';

/** What a bot is called, and what kind it is. */
export function AboutFields() {
  const { form, change, changeSetting, canEdit, errorAt } = useBotEditor();
  return (
    <section className="flex flex-col gap-4 px-4 py-4 md:px-6 md:py-5">
      <h2 className="font-semibold">About</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          value={form.name}
          onChange={(name) => change({ name })}
          isReadOnly={!canEdit}
          error={errorAt('name')}
        />
        <TextField
          label="Description"
          placeholder="For your team only"
          value={form.description}
          onChange={(description) => change({ description })}
          isReadOnly={!canEdit}
          error={errorAt('description')}
        />
        <RadioGroup
          label="Type"
          isDisabled={!canEdit}
          value={form.bot_type}
          onChange={(bot_type) => change({ bot_type })}
          options={[
            { value: 'chatbot', label: 'Agent', description: 'Answers people, turn by turn.' },
            { value: 'agent', label: 'Autonomous agent', description: 'Pursues a goal on its own.' },
          ]}
          error={errorAt('bot_type')}
        />
        <TextAreaField
          label="Greeting"
          minRows={1}
          placeholder="The first message of every chat"
          value={form.settings.chat_greeting ?? ''}
          onChange={(greeting) => changeSetting('chat_greeting', greeting)}
          isReadOnly={!canEdit}
          error={errorAt('chat_greeting')}
        />
      </div>
    </section>
  );
}
