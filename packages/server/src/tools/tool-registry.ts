import { AppError, invalid } from '../lib/app-error.ts';
import { type Check, compileCheck } from '../validation/checker.ts';
import type { Configuration, ToolType } from './tool-type.ts';

export type ToolRegistry = ReturnType<typeof createToolRegistry>;

/** All tool types, with the checks of their configurations. */
export function createToolRegistry(types: readonly ToolType[]) {
  const byName = new Map(types.map((type) => [type.type, type]));
  const checks = new Map<string, Check<Configuration>>(
    types.map((type) => [type.type, compileCheck<Configuration>(type.configurationSchema)]),
  );
  return {
    types,
    find: (type: string): ToolType | undefined => byName.get(type),
    /** Throws VALIDATION_FAILED for tool_type. */
    get(type: string): ToolType {
      const found = byName.get(type);
      if (!found) throw invalid('tool_type', `must be one of ${[...byName.keys()].join(', ')}`);
      return found;
    },
    secretFields: (type: ToolType): string[] =>
      Object.entries(type.configurationSchema.properties)
        .filter(([, schema]) => schema['x-secret'])
        .map(([field]) => field),
    /** Throws VALIDATION_FAILED for preset_id, with the presets of the type. */
    checkPreset({ type, presets }: ToolType, presetId: string | null | undefined): void {
      if (presetId === undefined || presetId === null || presets.some(({ id }) => id === presetId)) return;
      const ids = presets.map(({ id }) => id).join(', ');
      throw invalid('preset_id', ids ? `must be one of ${ids}` : `must be null: ${type} has no presets`);
    },
    /** Throws VALIDATION_FAILED with the fields that are wrong, under `configuration`. */
    check(type: ToolType, configuration: unknown): Configuration {
      const checked = checks.get(type.type)?.(configuration, 'configuration');
      if (!checked) throw invalid('tool_type', 'has no schema');
      try {
        type.checkConfiguration?.(checked);
      } catch (error) {
        throw underConfiguration(error);
      }
      return checked;
    },
  };
}

/** Types report the paths of their own fields; in the request's body they are under `configuration`. */
function underConfiguration(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  return new AppError('VALIDATION_FAILED', {
    message: `configuration.${error.message}`,
    details: (error.details ?? []).map((detail) => ({
      ...detail,
      ...('path' in detail && { path: `configuration.${String(detail.path)}` }),
    })),
  });
}
