import type { Usage } from './model.ts';

export const noUsage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** Null stands for nothing counted yet. */
export function addUsage(left: Usage, right: Usage | null): Usage;
export function addUsage(left: Usage | null, right: Usage | null): Usage | null;
export function addUsage(left: Usage | null, right: Usage | null): Usage | null {
  if (!left || !right) return left ?? right;
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  };
}
