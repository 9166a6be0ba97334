import { type ErrorDetail, errorUnder } from '@svc/client/api-error';
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { Checkbox, TextAreaField, TextField } from '../../../kit/fields.tsx';
import {
  errorAt,
  errorOfLine,
  type Line,
  newLine,
  newStandIn,
  type ScenarioForm,
  type StandInLine,
} from './scenario-form.ts';

interface ScenarioFieldsProps {
  form: ScenarioForm;
  onChange: (form: ScenarioForm) => void;
  details: readonly ErrorDetail[];
  /** What the bot answered in the conversation that the scenario comes from. */
  answers?: readonly string[];
  isReadOnly?: boolean;
}

export function ScenarioFields({
  form,
  onChange,
  details,
  answers,
  isReadOnly = false,
}: ScenarioFieldsProps) {
  const change = (part: Partial<ScenarioForm>) => onChange({ ...form, ...part });
  return (
    <div className="flex flex-col gap-5">
      <TextField
        label="Name"
        value={form.name}
        isReadOnly={isReadOnly}
        onChange={(name) => change({ name })}
        placeholder="A parcel that is late"
        error={errorAt(details, 'name')}
      />
      <LineFields
        title="What the user writes"
        description="One message after another; each gets an answer."
        one="Message"
        lines={form.turns}
        onChange={(turns) => change({ turns })}
        errorOf={(line) => errorOfLine(details, 'turns', form.turns, line)}
        error={errorAt(details, 'turns')}
        {...(answers && { notes: answers })}
        isReadOnly={isReadOnly}
      />
      <LineFields
        title="What must be true of the answers"
        description="Each in a sentence; judged by the bot's own model. “It arrives on Tuesday.”"
        one="Fact"
        lines={form.facts}
        onChange={(facts) => change({ facts })}
        errorOf={(line) => errorOfLine(details, 'expected_facts', form.facts, line)}
        error={errorAt(details, 'expected_facts')}
        isReadOnly={isReadOnly}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Must call"
          description="Names of functions, with commas between them."
          isCode
          value={form.mustCall}
          isReadOnly={isReadOnly}
          onChange={(mustCall) => change({ mustCall })}
          error={errorUnder(details, 'must_call')}
        />
        <TextField
          label="Must not call"
          isCode
          value={form.mustNotCall}
          isReadOnly={isReadOnly}
          onChange={(mustNotCall) => change({ mustNotCall })}
          error={errorUnder(details, 'must_not_call')}
        />
      </div>
      <StandInFields
        standIns={form.standIns}
        onChange={(standIns) => change({ standIns })}
        details={details}
        isReadOnly={isReadOnly}
      />
    </div>
  );
}

interface LineFieldsProps {
  title: string;
  description: string;
  /** One of them: "Message". */
  one: string;
  lines: readonly Line[];
  onChange: (lines: Line[]) => void;
  errorOf: (line: Line) => string | undefined;
  error?: string | undefined;
  /** Shown below a line, such as what the bot answered. */
  notes?: readonly string[];
  isReadOnly: boolean;
}

/** A list of texts, one field each. */
function LineFields({
  title,
  description,
  one,
  lines,
  onChange,
  errorOf,
  error,
  notes,
  isReadOnly,
}: LineFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium text-sm">{title}</legend>
      <p className="text-ink-3 text-sm">{description}</p>
      {lines.map((line, index) => (
        <div key={line.id} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <TextAreaField
              label={`${one} ${index + 1}`}
              hideLabel
              minRows={1}
              maxRows={8}
              value={line.text}
              isReadOnly={isReadOnly}
              onChange={(text) =>
                onChange(lines.map((other) => (other.id === line.id ? { ...line, text } : other)))
              }
              error={errorOf(line)}
              {...(notes?.[index] && { description: `Answered: ${notes[index]}` })}
            />
          </div>
          {!isReadOnly && (
            <IconButton
              label={`Remove ${one.toLowerCase()} ${index + 1}`}
              icon={<X aria-hidden />}
              onPress={() => onChange(lines.filter(({ id }) => id !== line.id))}
            />
          )}
        </div>
      ))}
      {error && (
        <p role="alert" className="text-danger-ink text-sm">
          {title} {error}.
        </p>
      )}
      {!isReadOnly && (
        <Button
          size="small"
          icon={<Plus aria-hidden />}
          className="self-start"
          onPress={() => onChange([...lines, newLine()])}
        >
          Add {one.toLowerCase()}
        </Button>
      )}
    </fieldset>
  );
}

interface StandInFieldsProps {
  standIns: readonly StandInLine[];
  onChange: (standIns: StandInLine[]) => void;
  details: readonly ErrorDetail[];
  isReadOnly: boolean;
}

/** What calls return in an evaluation, where no tool acts. */
function StandInFields({ standIns, onChange, details, isReadOnly }: StandInFieldsProps) {
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
