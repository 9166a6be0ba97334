import type { ConsoleModels, ModelPrice } from '@svc/contract/console-bots';
import { ChevronDown } from 'lucide-react';
import { Button, ComboBox, Input, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import { modelsQuery } from '../../../api/bots.ts';
import { useRead } from '../../../app/workspace.tsx';
import { classes } from '../../../kit/classes.ts';
import { FieldLabel, FieldNotes, fieldClasses, inputClasses, NumberField } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { BuiltInNote } from '../test/built-in-note.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';
import { NumberSetting } from './setting-fields.tsx';

/** Which model answers, and with which parameters. */
export function ModelTab() {
  const { form, change, canEdit, errorAt } = useBotEditor();
  const models = useRead(modelsQuery);
  const { settings } = form;
  return (
    <FormSection>
      {models.isError && <InlineError error={models.error} onRetry={() => void models.refetch()} />}
      <ModelField models={models.data} />
      {models.data && <Price models={models.data} model={settings.model ?? undefined} />}
      {models.data?.is_built_in_only && <BuiltInNote variables={models.data.variables} />}
      <NumberSetting
        name="temperature"
        label="Temperature"
        description="From 0, always the same answer, to 2, the most varied. Left empty: the model's own default."
        className="max-w-md"
      />
      <NumberSetting
        name="max_steps"
        label="Replies per message"
        description="The most model replies in one turn: each call of a tool needs one. Default 50, or 200 for bots that work on a machine."
        isInteger
        className="max-w-md"
      />
      {form.bot_type === 'agent' && (
        <>
          <NumberField
            label="Iterations per run"
            description="A run that has not reached its goal after this many fails. Default 25."
            isInteger
            value={form.max_iterations}
            onChange={(max_iterations) => change({ max_iterations })}
            isReadOnly={!canEdit}
            error={errorAt('max_iterations')}
            className="max-w-md"
          />
          <NumberField
            label="Seconds per run"
            description="A run that takes longer fails. Left empty: one hour."
            isInteger
            value={form.timeout_seconds ?? undefined}
            onChange={(value) => change({ timeout_seconds: value ?? null })}
            isReadOnly={!canEdit}
            error={errorAt('timeout_seconds')}
            className="max-w-md"
          />
        </>
      )}
    </FormSection>
  );
}

function Price({ models, model }: { models: ConsoleModels; model: string | undefined }) {
  const id = model ?? models.default_model;
  const known = models.models.find((one) => one.id === id);
  if (known?.price) {
    return (
      <p className="text-ink-2 text-sm">
        {isFree(known.price)
          ? 'Costs nothing.'
          : `$${known.price.input} per million tokens read, $${known.price.output} per million written.`}
      </p>
    );
  }
  return (
    <p className="flex flex-wrap gap-x-2 text-sm">
      <StateBadge state="unknown" text="Price unknown" />
      <span className="text-ink-2">
        Its cost is not counted. Workspaces with a limited balance cannot use it until SVC_MODEL_PRICES names
        its price.
      </span>
    </p>
  );
}

function isFree({ input, output }: ModelPrice): boolean {
  return input === 0 && output === 0;
}

/** A model by its id. Those that we know are offered, and any other can be typed. */
function ModelField({ models }: { models: ConsoleModels | undefined }) {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  const error = errorAt('model');
  const options = (models?.models ?? []).map(({ id, price }) => ({
    id,
    note: price
      ? price.output === 0
        ? 'free'
        : `$${price.input} in · $${price.output} out, per million tokens`
      : 'price unknown',
  }));
  const standard = models?.default_model ?? '';
  return (
    <ComboBox
      allowsCustomValue
      menuTrigger="focus"
      inputValue={form.settings.model ?? ''}
      onInputChange={(text) => changeSetting('model', text.trim() || undefined)}
      onSelectionChange={(key) => key !== null && changeSetting('model', String(key))}
      defaultItems={options}
      isReadOnly={!canEdit}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={classes(fieldClasses, 'max-w-md')}
    >
      <FieldLabel label="Model" />
      <div className="relative">
        <Input
          placeholder={standard && `${standard} (default)`}
          className={classes(inputClasses, 'h-8 pr-8 font-mono text-sm pointer-coarse:h-11')}
        />
        {canEdit && (
          <Button
            aria-label="Show models"
            className="absolute inset-y-0 right-0 flex w-8 items-center justify-center"
          >
            <ChevronDown aria-hidden className="size-4 text-ink-3" />
          </Button>
        )}
      </div>
      <FieldNotes
        description="provider/model. Left empty, the bot answers with the default model of this service."
        error={error}
      />
      <Popover className="w-(--trigger-width) overflow-auto rounded-md bg-raised p-1 shadow-menu data-entering:animate-appear">
        <ListBox className="max-h-80 outline-none">
          {(option: (typeof options)[number]) => (
            <ListBoxItem
              textValue={option.id}
              className="rounded-sm px-2 py-1.5 outline-none data-focused:bg-hover pointer-coarse:py-2.5"
            >
              <Text slot="label" className="block font-mono text-sm">
                {option.id}
              </Text>
              <Text slot="description" className="block text-ink-3 text-xs">
                {option.note}
              </Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
