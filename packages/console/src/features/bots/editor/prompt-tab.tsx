import { assemblePrompt } from '@svc/contract/assemble-prompt';
import type { PromptBuilder } from '@svc/contract/bots';
import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { count } from '../../../format/numbers.ts';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { RadioGroup, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';
import { TextAreaSetting } from './setting-fields.tsx';

/** What the bot is asked to do, and what it is. */
export function PromptTab() {
  const { form, change, canEdit, errorAt } = useBotEditor();
  const { prompt_builder: builder } = form;

  /** The text follows the builder, unless somebody has edited it. */
  function changeBuilder(next: PromptBuilder): void {
    const follows = builder === null || form.system_prompt === assemblePrompt(builder);
    change({ prompt_builder: next, ...(follows && { system_prompt: assemblePrompt(next) }) });
  }

  return (
    <div className="flex flex-col divide-y divide-line">
      <div className={builder ? 'grid xl:grid-cols-2' : ''}>
        {builder && (
          <PromptBuilderForm
            builder={builder}
            onChange={changeBuilder}
            onRemove={() => change({ prompt_builder: null })}
          />
        )}
        <PromptText onUseBuilder={() => changeBuilder({ instructions: linesOf(form.system_prompt) })} />
      </div>
      {form.bot_type === 'agent' && (
        <div className="px-4 py-4 md:px-6">
          <TextAreaField
            label="Goal"
            description="What every run works towards. A run ends when the goal is reached."
            value={form.agent_goal ?? ''}
            onChange={(goal) => change({ agent_goal: goal || null })}
            isReadOnly={!canEdit}
            error={errorAt('agent_goal')}
          />
        </div>
      )}
      <AboutFields />
    </div>
  );
}

/** Nothing of a prompt is lost when the builder takes it over. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^[-*]\s+/, '').trim())
    .filter((line) => line !== '');
}

interface PromptBuilderFormProps {
  builder: PromptBuilder;
  onChange: (builder: PromptBuilder) => void;
  onRemove: () => void;
}

/** The instructions in parts, from which their text is assembled. */
function PromptBuilderForm({ builder, onChange, onRemove }: PromptBuilderFormProps) {
  const { canEdit, errorAt } = useBotEditor();
  const set = <Name extends keyof PromptBuilder>(name: Name, value: PromptBuilder[Name]) => {
    const { [name]: _before, ...others } = builder;
    const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    onChange(isEmpty ? others : { ...others, [name]: value });
  };
  const text = (name: 'role' | 'goal' | 'tone' | 'language') => ({
    value: builder[name] ?? '',
    onChange: (value: string) => set(name, value),
    isReadOnly: !canEdit,
    error: errorAt(`prompt_builder.${name}`),
  });
  return (
    <section className="flex min-w-0 flex-col gap-4 border-line px-4 py-4 md:px-6 md:py-5 xl:border-r">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Builder</h2>
        {canEdit && (
          <Button size="small" look="quiet" onPress={onRemove}>
            Write it yourself
          </Button>
        )}
      </div>
      <TextField label="Role" placeholder="the host of a small shop" {...text('role')} />
      <TextAreaField label="Goal" minRows={2} {...text('goal')} />
      <LineList
        label="Instructions"
        one="instruction"
        placeholder="Greet the visitor by name."
        lines={builder.instructions ?? []}
        onChange={(lines) => set('instructions', lines)}
        path="prompt_builder.instructions"
      />
      <LineList
        label="Rules"
        one="rule"
        placeholder="Answer in at most three sentences."
        lines={builder.constraints ?? []}
        onChange={(lines) => set('constraints', lines)}
        path="prompt_builder.constraints"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Tone" placeholder="friendly, brief" {...text('tone')} />
        <TextField label="Language" placeholder="the visitor's language" {...text('language')} />
      </div>
      <ExampleList examples={builder.examples ?? []} onChange={(examples) => set('examples', examples)} />
    </section>
  );
}

/** The instructions as the model reads them. */
function PromptText({ onUseBuilder }: { onUseBuilder: () => void }) {
  const { form, change, canEdit, errorAt } = useBotEditor();
  const { prompt_builder: builder, system_prompt: text } = form;
  const isOwn = builder !== null && text !== assemblePrompt(builder);
  return (
    <section className="flex min-w-0 flex-col gap-2 px-4 py-4 md:px-6 md:py-5">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{builder ? 'What it reads' : 'Prompt'}</h2>
        {!builder && canEdit && (
          <Button size="small" look="quiet" onPress={onUseBuilder}>
            Use the prompt builder
          </Button>
        )}
      </div>
      {isOwn && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-info-tint px-3 py-2 text-info-ink text-sm">
          <span className="min-w-0 flex-1 basis-48">
            This text was edited by hand: changes in the builder do not reach it.
          </span>
          {canEdit && (
            <Button
              size="small"
              isDisabled={assemblePrompt(builder) === ''}
              onPress={() => change({ system_prompt: assemblePrompt(builder) })}
            >
              Use the builder's text
            </Button>
          )}
        </div>
      )}
      <TextAreaField
        label="Prompt"
        hideLabel
        placeholder="You help the customers of Acme. Answer briefly, and only from what you know."
        minRows={12}
        maxRows={60}
        value={text}
        onChange={(system_prompt) => change({ system_prompt })}
        isReadOnly={!canEdit}
        error={errorAt('system_prompt') ?? errorAt('prompt_builder')}
      />
      <p className="text-ink-3 text-xs">{count(text.length)} characters</p>
    </section>
  );
}

type Example = NonNullable<PromptBuilder['examples']>[number];

interface ExampleListProps {
  examples: readonly Example[];
  onChange: (examples: Example[]) => void;
}

/** Exchanges that show the model how to answer. */
function ExampleList({ examples, onChange }: ExampleListProps) {
  const { canEdit, errorAt } = useBotEditor();
  const set = (index: number, part: Partial<Example>) =>
    onChange(examples.map((example, at) => (at === index ? { ...example, ...part } : example)));
  return (
    <section aria-label="Examples" className="flex flex-col gap-2">
      <div className="flex items-center justify-between">
        <h3 className="font-medium text-sm">Examples</h3>
        {canEdit && (
          <Button
            size="small"
            look="quiet"
            icon={<Plus aria-hidden />}
            onPress={() => onChange([...examples, { user: '', assistant: '' }])}
          >
            Add example
          </Button>
        )}
      </div>
      {examples.map((example, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: examples have no identity besides their place
        <div key={index} className="flex items-start gap-1 border-line border-t pt-2">
          <div className="flex min-w-0 flex-1 flex-col gap-2">
            <TextAreaField
              label="When somebody writes"
              minRows={1}
              value={example.user}
              onChange={(user) => set(index, { user })}
              isReadOnly={!canEdit}
              error={errorAt(`prompt_builder.examples.${index}.user`)}
            />
            <TextAreaField
              label="Answer like this"
              minRows={1}
              value={example.assistant}
              onChange={(assistant) => set(index, { assistant })}
              isReadOnly={!canEdit}
              error={errorAt(`prompt_builder.examples.${index}.assistant`)}
            />
          </div>
          {canEdit && (
            <IconButton
              label={`Remove example ${index + 1}`}
              icon={<X aria-hidden />}
              onPress={() => onChange(examples.filter((_one, at) => at !== index))}
            />
          )}
        </div>
      ))}
    </section>
  );
}

interface LineListProps {
  label: string;
  /** One of them, for the names of buttons. */
  one: string;
  placeholder: string;
  lines: readonly string[];
  onChange: (lines: string[]) => void;
  /** Where the service reports their errors. */
  path: string;
}

/** Sentences that can be added, changed and removed one by one. */
function LineList({ label, one, placeholder, lines, onChange, path }: LineListProps) {
  const { canEdit, errorAt } = useBotEditor();
  const title = useId();
  const list = useRef<HTMLUListElement>(null);
  const focusLine = (index: number) =>
    requestAnimationFrame(() => list.current?.querySelectorAll('textarea')[index]?.focus());

  function add(): void {
    onChange([...lines, '']);
    focusLine(lines.length);
  }

  function remove(index: number): void {
    onChange(lines.filter((_line, at) => at !== index));
    focusLine(Math.max(0, index - 1));
  }

  return (
    <section aria-labelledby={title} className="flex flex-col gap-2">
      <div className="flex items-center justify-between">
        <h3 id={title} className="font-medium text-sm">
          {label}
        </h3>
        {canEdit && (
          <Button size="small" look="quiet" icon={<Plus aria-hidden />} onPress={add}>
            Add {one}
          </Button>
        )}
      </div>
      {lines.length > 0 && (
        <ul ref={list} className="flex flex-col gap-2">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity besides their place
            <li key={index} className="flex items-start gap-1">
              <TextAreaField
                label={`${one} ${index + 1}`}
                hideLabel
                placeholder={placeholder}
                minRows={1}
                value={line}
                onChange={(next) => onChange(lines.with(index, next))}
                isReadOnly={!canEdit}
                error={errorAt(`${path}.${index}`)}
                className="flex-1"
              />
              {canEdit && (
                <IconButton
                  label={`Remove ${one} ${index + 1}`}
                  icon={<X aria-hidden />}
                  onPress={() => remove(index)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What a bot is called, and what kind it is. */
function AboutFields() {
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
            { value: 'agent', label: 'Autonomous Agent', description: 'Pursues a goal on its own.' },
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
