import type { ToolUse } from '@svc/contract/console-tools';
import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { Switch, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import type { FieldSchema } from '../../../kit/schema-fields.ts';
import { SchemaForm } from '../../../kit/schema-form.tsx';
import { UsedBy } from '../used-by.tsx';
import { ownToolField } from './own-tool-field.tsx';
import { unusedSecrets } from './tool-draft.ts';
import type { ToolForm } from './use-tool-form.ts';

interface ToolFieldsProps {
  entry: CatalogEntry;
  tool: Tool | undefined;
  use: ToolUse | undefined;
  form: ToolForm;
  isReadOnly: boolean;
}

export function ToolFields({ entry, tool, use, form, isReadOnly }: ToolFieldsProps) {
  const { draft, change, errors, configurationErrors, error } = form;
  const secrets = Object.fromEntries((tool?.secrets_set ?? []).map((field) => [field, setAt(use, field)]));
  const unused = unusedSecrets(entry, draft, tool);
  return (
    <form
      className="flex max-w-[720px] flex-col gap-8 px-4 py-5 md:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        void form.save();
      }}
    >
      {error !== undefined && <InlineError error={error} />}
      {configurationErrors.size > 0 && error === undefined && (
        <p role="alert" className="text-danger-ink text-sm">
          Nothing is saved yet: look at the fields in red.
        </p>
      )}
      <section className="flex flex-col gap-4">
        <TextField
          label="Name"
          placeholder="order_status"
          description="The model calls it by this name."
          isRequired
          isReadOnly={isReadOnly}
          value={draft.name}
          onChange={(name) => change({ name })}
          error={errors.get('name')}
        />
        <TextAreaField
          label="Description"
          placeholder="Looks up where an order is. Use it when somebody asks about a parcel."
          description="What it does and when to use it: the model decides by this text."
          minRows={2}
          isReadOnly={isReadOnly}
          value={draft.description}
          onChange={(description) => change({ description })}
          error={errors.get('description')}
        />
        {tool && (
          <div className="flex flex-wrap items-start gap-x-10 gap-y-3">
            <Switch
              label="On"
              description="Bots lose it while it is off."
              isOn={draft.isActive}
              isDisabled={isReadOnly}
              onChange={(isActive) => change({ isActive })}
            />
            <div className="text-sm">
              <span className="block font-medium">Used by</span>
              <UsedBy use={use} />
            </div>
          </div>
        )}
      </section>
      <SchemaForm
        schema={entry.configuration_schema}
        value={draft.configuration}
        onChange={(configuration) => change({ configuration })}
        errors={configurationErrors}
        secrets={secrets}
        isReadOnly={isReadOnly}
        ownField={ownToolField}
      />
      {unused.length > 0 && (
        <p role="status" className="text-sm text-warning-ink">
          Stored secrets that no longer apply are removed when you save:{' '}
          {unused.map((name) => titleOf(entry, name)).join(', ')}.
        </p>
      )}
    </form>
  );
}

function setAt(use: ToolUse | undefined, field: string): string {
  return use?.secrets.find((secret) => secret.field === field)?.set_at ?? '';
}

function titleOf({ configuration_schema: schema }: CatalogEntry, field: string): string {
  return (schema as FieldSchema).properties?.[field]?.title ?? field;
}
