import { type ErrorDetail, errorUnder } from '@svc/client/api-error';
import { TextField } from '../../../kit/fields.tsx';
import { LineFields } from './line-fields.tsx';
import { errorAt, errorOfLine, type ScenarioForm } from './scenario-form.ts';
import { StandInFields } from './stand-in-fields.tsx';

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
