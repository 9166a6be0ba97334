import { AppError } from '../lib/app-error.ts';
import type { ToolRegistry } from '../tools/tools.service.ts';
import { guardWritten } from './guard-written.ts';

export type DraftCheck = (toolType: string, configuration: Record<string, unknown>) => CheckedDraft;

export interface CheckedDraft {
  /** Without secrets, because those in a document or from a model are examples at best. */
  configuration: Record<string, unknown>;
  /** The fields that the owner still has to fill in. */
  missing: string[];
}

/** Like secrets, these are never in a document. */
const identityFields = ['basic_username', 'oauth_client_id'];
const standIn = 'to-be-filled-in';

/**
 * Checks a drafted configuration with the type's own rules, as if the fields that only its owner knows had values.
 * Throws VALIDATION_FAILED with the field's path.
 */
export function createDraftCheck(registry: ToolRegistry): DraftCheck {
  return (toolType, given) => {
    const type = registry.get(toolType);
    const secrets = registry.secretFields(type);
    const ownersFields = [...secrets, ...identityFields];
    const configuration = Object.fromEntries(
      Object.entries(given).filter(([field, value]) => !secrets.includes(field) && value !== null),
    );
    guardWritten(configuration, 'configuration');
    const missing: string[] = [];
    for (;;) {
      try {
        const standIns = Object.fromEntries(missing.map((field) => [field, standIn]));
        registry.check(type, { ...configuration, ...standIns });
        return { configuration, missing };
      } catch (error) {
        const found = fieldsOf(error).filter(
          (field) =>
            ownersFields.includes(field) && !missing.includes(field) && (configuration[field] ?? '') === '',
        );
        if (found.length === 0) throw error;
        missing.push(...found);
      }
    }
  };
}

/** `bearer_token` of an error at `configuration.bearer_token`. */
function fieldsOf(error: unknown): string[] {
  const details = error instanceof AppError ? (error.details ?? []) : [];
  return details.flatMap(({ path }) => /^configuration\.(\w+)$/.exec(String(path))?.[1] ?? []);
}
