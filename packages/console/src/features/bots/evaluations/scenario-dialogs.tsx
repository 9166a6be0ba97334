import type { Scenario, ScenarioDraft } from '@svc/contract/scenarios';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { keys } from '../../../api/client.ts';
import { deleteScenario, saveScenario, scenarioDraftQuery } from '../../../api/evaluations.ts';
import { useGo, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { ConfirmDialog, Dialog } from '../../../kit/dialogs.tsx';
import { Checkbox, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { Bar, InlineError, Loading } from '../../../kit/placeholders.tsx';
import { errorsBelow, fieldErrors } from '../../../kit/schema-faults.ts';
import { notify } from '../../../kit/toast.tsx';
import type { Faults } from '../../../kit/uncorrected.ts';
import { useUncorrected } from '../../../kit/use-uncorrected.ts';
import {
  emptyScenario,
  errorOfLine,
  type Line,
  newLine,
  newStandIn,
  readForm,
  type ScenarioForm,
  type StandInLine,
  toForm,
} from './scenario-form.ts';

/** Saves a conversation as a scenario of its bot, filled in with what really happened. */
export function SaveAsScenario({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const draft = useRead(scenarioDraftQuery, conversationId);
  if (draft.data) return <DraftDialog draft={draft.data} onClose={onClose} />;
  return (
    <Dialog title="Save as scenario" onClose={onClose} size="large">
      {draft.isError ? (
        <InlineError error={draft.error} onRetry={() => void draft.refetch()} />
      ) : (
        <Loading label="Reading the conversation">
          <div className="flex flex-col gap-3">
            <Bar className="h-8" />
            <Bar className="h-24" />
            <Bar className="h-24" />
          </div>
        </Loading>
      )}
    </Dialog>
  );
}

function DraftDialog({ draft, onClose }: { draft: ScenarioDraft; onClose: () => void }) {
  const go = useGo();
  const [form, setForm] = useState(() => toForm(draft.scenario));
  const saving = useSaveScenario({ botId: draft.bot_id, scenarioId: undefined, form }, () => {
    const open = { label: 'Open scenarios', run: () => go(`/bots/${draft.bot_id}/evaluations`) };
    notify({ text: 'The scenario was saved.', action: open });
    onClose();
  });
  return (
    <Dialog
      title="Save as scenario"
      onClose={onClose}
      size="large"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" isBusy={saving.isSaving} onPress={() => saving.save()}>
            Save scenario
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">
          The messages and what the calls returned are those of the conversation. Say what must be true of the
          answers, then save it.
        </p>
        {draft.notes.map((note) => (
          <p key={note} className="text-sm text-warning-ink">
            {note}
          </p>
        ))}
        <ScenarioFields form={form} onChange={setForm} faults={saving.faults} answers={draft.answers} />
        {saving.error && <InlineError error={saving.error} />}
      </div>
    </Dialog>
  );
}

interface ScenarioDialogProps {
  botId: string;
  /** Undefined: a new one. */
  scenario: Scenario | undefined;
  onClose: () => void;
}

/** Edits a scenario. */
export function ScenarioDialog({ botId, scenario, onClose }: ScenarioDialogProps) {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const canEdit = can('operator');
  const [form, setForm] = useState(() => toForm(scenario ?? emptyScenario));
  const [isDeleting, setDeleting] = useState(false);
  const saving = useSaveScenario({ botId, scenarioId: scenario?.id, form }, onClose);
  if (scenario && isDeleting) {
    return (
      <ConfirmDialog
        title={`Delete “${scenario.name}”?`}
        action="Delete"
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await deleteScenario(api, botId, scenario.id);
          await client.invalidateQueries({ queryKey: keys.all(api, 'scenario') });
          onClose();
        }}
      >
        It is no longer evaluated. Its results in earlier evaluations stay.
      </ConfirmDialog>
    );
  }
  return (
    <Dialog
      title={scenario?.name ?? 'New scenario'}
      onClose={onClose}
      size="large"
      actions={
        canEdit && (
          <>
            {scenario && (
              <Button look="quiet" className="mr-auto text-danger-ink" onPress={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" isBusy={saving.isSaving} onPress={() => saving.save()}>
              Save scenario
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <ScenarioFields form={form} onChange={setForm} faults={saving.faults} isReadOnly={!canEdit} />
        {saving.error && <InlineError error={saving.error} />}
      </div>
    </Dialog>
  );
}

/** Saves a form as a new scenario, or as the one with this id. */
function useSaveScenario(
  { botId, scenarioId, form }: { botId: string; scenarioId: string | undefined; form: ScenarioForm },
  onSaved: () => void,
) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { body, faults: unsendable } = readForm(form);
  const [ownFaults, setOwnFaults] = useState<Faults>(new Map());
  const saving = useMutation({
    mutationFn: () => saveScenario(api, { botId, scenarioId, body }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: keys.all(api, 'scenario') });
      onSaved();
    },
  });
  const found = useMemo(
    () => (ownFaults.size > 0 ? ownFaults : fieldErrors(saving.error)),
    [ownFaults, saving.error],
  );
  return {
    save(): void {
      setOwnFaults(unsendable);
      saving.reset();
      if (unsendable.size === 0) saving.mutate();
    },
    isSaving: saving.isPending,
    error: saving.error,
    // Arguments that cannot be read are only in the form.
    faults: useUncorrected(found, { ...body, stand_ins: form.standIns }),
  };
}

interface ScenarioFieldsProps {
  form: ScenarioForm;
  onChange: (form: ScenarioForm) => void;
  faults: Faults;
  /** What the bot answered in the conversation that the scenario comes from. */
  answers?: readonly string[];
  isReadOnly?: boolean;
}

function ScenarioFields({ form, onChange, faults, answers, isReadOnly = false }: ScenarioFieldsProps) {
  const change = (part: Partial<ScenarioForm>) => onChange({ ...form, ...part });
  const under = (field: string) => [...errorsBelow(faults, field).values()][0] ?? faults.get(field);
  return (
    <div className="flex flex-col gap-5">
      <TextField
        label="Name"
        value={form.name}
        isReadOnly={isReadOnly}
        onChange={(name) => change({ name })}
        placeholder="A parcel that is late"
        error={faults.get('name')}
      />
      <LineFields
        title="What the user writes"
        description="One message after another; each gets an answer."
        one="Message"
        lines={form.turns}
        onChange={(turns) => change({ turns })}
        errorOf={(line) => errorOfLine(faults, 'turns', form.turns, line)}
        error={faults.get('turns')}
        {...(answers && { notes: answers })}
        isReadOnly={isReadOnly}
      />
      <LineFields
        title="What must be true of the answers"
        description="Each in a sentence; judged by the bot's own model. “It arrives on Tuesday.”"
        one="Fact"
        lines={form.facts}
        onChange={(facts) => change({ facts })}
        errorOf={(line) => errorOfLine(faults, 'expected_facts', form.facts, line)}
        error={faults.get('expected_facts')}
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
          error={under('must_call')}
        />
        <TextField
          label="Must not call"
          isCode
          value={form.mustNotCall}
          isReadOnly={isReadOnly}
          onChange={(mustNotCall) => change({ mustNotCall })}
          error={under('must_not_call')}
        />
      </div>
      <StandInFields
        standIns={form.standIns}
        onChange={(standIns) => change({ standIns })}
        faults={faults}
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
  faults: Faults;
  isReadOnly: boolean;
}

/** What calls return in an evaluation, where no tool acts. */
function StandInFields({ standIns, onChange, faults, isReadOnly }: StandInFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium text-sm">Stand-in results</legend>
      <p className="text-ink-3 text-sm">
        No tool acts in an evaluation. The first stand-in that fits a call answers it.
      </p>
      {standIns.map((line, index) => {
        const change = (part: Partial<StandInLine>) =>
          onChange(standIns.map((other) => (other.id === line.id ? { ...line, ...part } : other)));
        const at = (field: string) => faults.get(`stand_ins.${index}.${field}`);
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
