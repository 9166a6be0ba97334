import { RadioGroup, TextField } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';
import { TextAreaSetting } from './setting-fields.tsx';

/** What a bot is called, and what kind it is. */
export function AboutFields() {
  const { form, change, canEdit, errorAt } = useBotEditor();
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
        <TextAreaSetting
          name="chat_greeting"
          label="Greeting"
          minRows={1}
          placeholder="The first message of every chat"
        />
      </div>
    </section>
  );
}
