import type { AppError } from '../lib/app-error.ts';
import { askForJson, type JsonPrompt } from '../models/ask-for-json.ts';
import type { JsonForm } from '../models/json-form.ts';
import type { Model } from '../models/model.ts';
import { draftFailed } from './discover-failure.ts';
import { guardWritten } from './guard-written.ts';
import type { DiscoverJob } from './job.ts';

export interface DraftQuestion<Written, Draft> extends JsonPrompt {
  form: JsonForm<Written>;
  /** Throws VALIDATION_FAILED that says what is wrong with what the model wrote. */
  read(written: Written): Draft | Promise<Draft>;
}

/** A draft holds many checked configurations, and one repair rarely corrects all of them. */
export const draftLimits = { maxOutputTokens: 16_000, maxCharacters: 400_000, repairs: 3 };

/** Asks until the draft is valid, and throws UPSTREAM_FAILED when none is. */
export async function askForDraft<Written, Draft>(
  model: Model,
  { system, prompt, form, read }: DraftQuestion<Written, Draft>,
  job: DiscoverJob,
): Promise<Draft> {
  job.onProgress('drafting', `Asking ${model.id}.`);
  const answer = await askForJson(model, form, {
    system,
    prompt,
    signal: job.signal,
    read(written: Written) {
      guardWritten(written);
      return read(written);
    },
    onAnswer: () => job.onProgress('checking', 'Checking the draft.'),
    onRepair: ({ message }) => job.onProgress('repairing', message),
  });
  switch (answer.kind) {
    case 'value':
      return answer.value;
    case 'unusable':
      throw unusableDraft(answer.problem);
    case 'failed':
      throw answer.failure;
  }
}

function unusableDraft(problem: AppError): AppError {
  const { code, message, details = [] } = problem;
  const faults = details.flatMap((detail) =>
    'path' in detail ? [{ path: String(detail.path), message: String(detail['message']) }] : [],
  );
  return draftFailed(
    `The model gave no usable draft in ${draftLimits.repairs + 1} attempts. The last fault: ${message}`,
    faults.length > 0 ? faults : [{ code, message }],
    problem,
  );
}
