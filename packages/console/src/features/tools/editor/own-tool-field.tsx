import { Braces, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { machinesQuery } from '../../../api/machines.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { sentence } from '../../../format/sentence.ts';
import { announce } from '../../../kit/announce.ts';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { Checkbox, RadioGroup, Select, TextAreaField, TextField } from '../../../kit/fields.tsx';
import type { FieldSchema } from '../../../kit/schema-fields.ts';
import { JsonField, type OwnField, type SchemaFieldProps } from '../../../kit/schema-form.tsx';
import { focusIn } from '../../../kit/show-fault.ts';
import { UnreadableJson } from '../../../kit/unreadable-json.ts';
import { missingParameters } from '../tool-types.ts';
import {
  type Parameter,
  type ParameterType,
  parameterTypes,
  readParameters,
  writeParameters,
} from './parameters.ts';

/** The choice that stands for no value. */
const byCall = 'default';
const approvals = ['never', 'always'];

/** Fields of tools that are easier to fill in than what a form makes of their schema. */
export const ownToolField: OwnField = (props, value) => {
  const { field, errors, isReadOnly, onChange } = props;
  const error = errors.get(field.name);
  if (field.schema['x-editor'] === 'schema') return <ParametersField {...props} error={error} />;
  if (field.schema['x-editor'] === 'machine') return <MachineField {...props} />;
  if (field.name === 'body' && value['body_type'] === 'text') {
    return (
      <TextAreaField
        label={field.title}
        isCode
        value={typeof props.value === 'string' ? props.value : ''}
        onChange={(text) => onChange(text || undefined)}
        error={error}
        isReadOnly={isReadOnly}
      />
    );
  }
  if (field.name === 'approval') {
    const { default: byType, description } = field.schema;
    return (
      <RadioGroup
        label="Ask a person before each call"
        options={[
          ...(byType === undefined
            ? [{ value: byCall, label: 'Only before changes', description: description ?? '' }]
            : []),
          { value: 'never', label: 'Never' },
          { value: 'always', label: 'Always', description: 'The call waits until somebody approves it.' },
        ]}
        value={approvals.find((one) => one === (props.value ?? byType)) ?? byCall}
        onChange={(chosen) => onChange(chosen === byCall ? undefined : chosen)}
        error={error}
        isDisabled={isReadOnly}
      />
    );
  }
  return undefined;
};

/** Offers to add what a field names in `{{…}}` and the model does not fill in yet. */
export function missingBelow(onAdd: (name: string) => void): OwnField {
  return ({ field, errors, isReadOnly }, value) => {
    const missing = isReadOnly ? [] : missingParameters(value, field.name);
    // JSON that is being typed cannot be added to.
    if (missing.length === 0 || value['parameters'] instanceof UnreadableJson) return undefined;
    return (
      <div className="mt-1 flex flex-wrap items-center gap-2">
        {!errors.has(field.name) && (
          <p role="status" className="text-sm text-warning-ink">
            {missing.length === 1
              ? 'The model does not fill this in yet:'
              : 'The model does not fill these in yet:'}
          </p>
        )}
        {missing.map((name) => (
          <Button
            key={name}
            size="small"
            icon={<Plus aria-hidden />}
            onPress={({ target }) => {
              // The button is gone then.
              focusIn(target.closest('[data-field]'));
              onAdd(name);
              announce(`The model fills in ${name} now.`);
            }}
          >
            {`Add parameter ${name}`}
          </Button>
        ))}
      </div>
    );
  };
}

const noMachine = 'none';

function MachineField({ field, value, onChange, errors, isReadOnly }: SchemaFieldProps) {
  const { user } = useWorkspace();
  const machines = useRead(machinesQuery);
  // The service refuses others.
  const usable = machines.data?.filter(
    ({ id, owner, allowed_members: allowed }) =>
      id === value || owner?.id === user.id || allowed.includes(user.id),
  );
  return (
    <Select
      label={field.title}
      description={field.schema.description}
      options={[
        { value: noMachine, label: 'Each message chooses' },
        ...(usable ?? []).map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={typeof value === 'string' && value !== '' ? value : noMachine}
      onChange={(id) => onChange(id === noMachine ? undefined : id)}
      error={errors.get(field.name)}
      isDisabled={isReadOnly}
      className="max-w-80"
    />
  );
}

interface ParametersFieldProps extends Pick<SchemaFieldProps, 'field' | 'value' | 'onChange' | 'isReadOnly'> {
  error: string | undefined;
}

/** What the model fills in, as rows or as a JSON Schema. */
function ParametersField(props: ParametersFieldProps) {
  const { field, value, onChange, isReadOnly, error } = props;
  const read = value instanceof UnreadableJson ? undefined : readParameters(value as FieldSchema | undefined);
  const [isJson, setJson] = useState(false);
  const [typed, setTyped] = useState<readonly Parameter[]>([]);
  if (isJson || !read) {
    return (
      <div className="flex flex-col items-start gap-2">
        <JsonField
          label="Parameters as JSON Schema"
          value={value}
          onChange={onChange}
          error={error}
          isReadOnly={isReadOnly}
          className="w-full"
        />
        {read && (
          <Button size="small" look="quiet" onPress={() => setJson(false)}>
            Edit as rows
          </Button>
        )}
      </div>
    );
  }
  // A row without a name, or with that of another one, is not part of the value yet, and must not disappear meanwhile.
  const rows = isSame(writeParameters(typed), writeParameters(read)) ? typed : read;
  const change = (next: readonly Parameter[]) => {
    setTyped(next);
    onChange(writeParameters(next));
  };
  return (
    <div className="flex flex-col gap-3">
      {rows.length === 0 && (
        <p className="text-ink-3 text-sm">
          Nothing: every call is the same. Write {'{{name}}'} in the URL to let the model fill in a part.
        </p>
      )}
      {rows.map((row, index) => (
        <ParameterRow
          key={index}
          parameter={row}
          isTwice={row.name !== '' && rows.some(({ name }, at) => name === row.name && at !== index)}
          isReadOnly={isReadOnly}
          onChange={(next) => change(rows.map((one, at) => (at === index ? next : one)))}
          onRemove={() => change(rows.filter((_, at) => at !== index))}
        />
      ))}
      {error !== undefined && (
        <p data-fault className="text-danger-ink text-sm">
          {sentence(error)}
        </p>
      )}
      {!isReadOnly && (
        <div className="flex flex-wrap gap-2">
          <Button
            size="small"
            look="quiet"
            icon={<Plus aria-hidden />}
            onPress={() => setTyped([...rows, emptyParameter])}
          >
            Add a parameter
          </Button>
          <Button
            size="small"
            look="quiet"
            icon={<Braces aria-hidden />}
            onPress={() => setJson(true)}
            aria-label={`Edit as JSON: ${field.title.toLowerCase()}`}
          >
            Edit as JSON
          </Button>
        </div>
      )}
    </div>
  );
}

interface ParameterRowProps {
  parameter: Parameter;
  /** Another row has the same name. */
  isTwice: boolean;
  isReadOnly: boolean;
  onChange: (parameter: Parameter) => void;
  onRemove: () => void;
}

function ParameterRow({ parameter, isTwice, isReadOnly, onChange, onRemove }: ParameterRowProps) {
  const { name, type, isRequired, description } = parameter;
  const types = Object.entries(parameterTypes)
    .filter(([value]) => value !== 'other' || type === 'other')
    .map(([value, label]) => ({ value: value as ParameterType, label }));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <TextField
        label="Name"
        hideLabel
        isCode
        placeholder="name"
        value={name}
        isReadOnly={isReadOnly}
        onChange={(next) => onChange({ ...parameter, name: next.trim() })}
        error={isTwice ? 'is there twice' : undefined}
        className="w-32"
      />
      <Select
        label={`Type of ${name}`}
        hideLabel
        options={types}
        value={type}
        isDisabled={isReadOnly}
        onChange={(next) => onChange({ ...parameter, type: next })}
        className="w-36"
      />
      <TextField
        label={`What ${name || 'it'} is`}
        hideLabel
        placeholder="what it is, for the model"
        value={description}
        isReadOnly={isReadOnly}
        onChange={(next) => onChange({ ...parameter, description: next })}
        className="min-w-40 flex-1"
      />
      <Checkbox
        isSelected={isRequired}
        isDisabled={isReadOnly}
        onChange={(next) => onChange({ ...parameter, isRequired: next })}
      >
        required
      </Checkbox>
      {!isReadOnly && (
        <IconButton label={`Remove ${name || 'the row'}`} icon={<X aria-hidden />} onPress={onRemove} />
      )}
    </div>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const emptyParameter: Parameter = { name: '', type: 'string', isRequired: true, description: '', rest: {} };
