import { useQuery } from '@tanstack/react-query';
import { machinesQuery } from '../../../api/machines.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { RadioGroup, Select, TextAreaField } from '../../../kit/fields.tsx';
import type { OwnField, SchemaFieldProps } from '../../../kit/schema-form.tsx';
import { missingParameters } from '../tool-types.ts';
import { ParametersField } from './parameters-field.tsx';

/** The choice that stands for no value. */
const byCall = 'default';
const approvals = ['never', 'always'];

/** Fields of tools that are easier to fill in than what a form makes of their schema. */
export const ownToolField: OwnField = (props, value) => {
  const { field, errors, isReadOnly, onChange } = props;
  const error = errors.get(field.name);
  if (field.schema['x-editor'] === 'schema')
    return <ParametersField {...props} error={error} missing={missingParameters(value)} />;
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

const noMachine = 'none';

function MachineField({ field, value, onChange, errors, isReadOnly }: SchemaFieldProps) {
  const { api, user } = useWorkspace();
  const machines = useQuery(machinesQuery(api));
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
