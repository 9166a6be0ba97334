import { splitSecrets } from './secrets.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { Configuration, ToolType } from './tool-type.ts';

/** Checks the resulting configuration, stored secrets included, and splits the secrets off. `whole` is what runs. */
export function checkedConfiguration(
  registry: ToolRegistry,
  type: ToolType,
  sent: Configuration,
  stored: Configuration,
): ReturnType<typeof splitSecrets> & { whole: Configuration } {
  const split = splitSecrets(sent, registry.secretFields(type));
  const kept = Object.entries(stored).filter(([field]) => !split.secrets.cleared.includes(field));
  const whole = { ...split.open, ...Object.fromEntries(kept), ...split.secrets.set };
  registry.check(type, whole);
  return { ...split, whole };
}
