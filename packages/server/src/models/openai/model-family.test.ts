import { expect, test } from 'vitest';
import { seesImages } from './model-family.ts';

test('knows which models see images', () => {
  for (const name of ['gpt-5.6-terra', 'gpt-4o', 'gpt-4-turbo', 'o3'])
    expect(seesImages(name, true), name).toBe(true);
  for (const name of ['gpt-3.5-turbo', 'gpt-4', 'gpt-4-0613', 'o3-mini'])
    expect(seesImages(name, true), name).toBe(false);
  for (const name of ['qwen2.5vl:7b', 'qwen3-vl-32b', 'llava', 'gemma3:27b', 'anthropic/claude-sonnet-5'])
    expect(seesImages(name, false), name).toBe(true);
  for (const name of ['llama3.1', 'qwen3-coder', 'deepseek-v3', 'unknown'])
    expect(seesImages(name, false), name).toBe(false);
});
