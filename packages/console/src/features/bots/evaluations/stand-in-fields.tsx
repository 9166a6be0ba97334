import type { ErrorDetail } from '@svc/client/api-error';
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { Checkbox, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { errorAt, newStandIn, type StandInLine } from './scenario-form.ts';

interface StandInFieldsProps {
  standIns: readonly StandInLine[];
  onChange: (standIns: StandInLine[]) => void;
  details: readonly ErrorDetail[];
  isReadOnly: boolean;
}

/** What calls return in an evaluation, where no tool acts. */
export function StandInFields({ standIns, onChange, details, isReadOnly }: StandInFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium text-sm">Stand-in results</legend>
      <p className="text-ink-3 text-sm">
        No tool acts in an evaluation. The first stand-in that fits a call answers it.
      </p>
      {standIns.map((line, index) => {
        const change = (part: Partial<StandInLine>) =>
          onChange(standIns.map((other) => (other.id === line.id ? { ...line, ...part } : other)));
        const at = (field: string) => errorAt(details, `stand_ins.${index}.${field}`);
        return (
          <div key={line.id} className="flex flex-col gap-2 border-line border-l-2 py-1 pl-3">
            <div className="flex items-end gap-2">
              <TextField
                label="Function"
                className="flex-1"
                isCode
                value={line.function}
                isReadOnly={isReadOnly}
                onChange={(name) => change({ function: name })}
                error={at('function')}
              />
              {!isReadOnly && (
                <IconButton
                  label={`Remove stand-in ${index + 1}`}
                  icon={<X aria-hidden />}
                  onPress={() => onChange(standIns.filter(({ id }) => id !== line.id))}
                />
              )}
            </div>
            <div className="grid gap-2 sm:grid-cols-2">
              <TextAreaField
                label="For these arguments"
                isCode
                minRows={2}
                maxRows={8}
                placeholder="Every call"
                value={line.arguments}
                isReadOnly={isReadOnly}
                onChange={(text) => change({ arguments: text })}
                error={at('arguments')}
              />
              <TextAreaField
                label="Returns"
                isCode
                minRows={2}
                maxRows={8}
                value={line.result}
                isReadOnly={isReadOnly}
                onChange={(text) => change({ result: text })}
                error={at('result')}
              />
            </div>
            <Checkbox
              isSelected={line.isError}
              isReadOnly={isReadOnly}
              onChange={(isError) => change({ isError })}
            >
              As a failed call
            </Checkbox>
          </div>
        );
      })}
      {!isReadOnly && (
        <Button
          size="small"
          icon={<Plus aria-hidden />}
          className="self-start"
          onPress={() => onChange([...standIns, newStandIn()])}
        >
          Add stand-in
        </Button>
      )}
    </fieldset>
  );
}
