import { expect, it } from 'vitest';
import { assemblePrompt } from './assemble-prompt.ts';

it('assembles every part in a fixed order', () => {
  expect(
    assemblePrompt({
      examples: [{ user: 'Hi', assistant: 'Hello!' }],
      constraints: ['Answer in one sentence.', 'Never promise refunds.'],
      instructions: ['Greet first.', 'Be brief.'],
      language: 'German',
      tone: 'warm',
      goal: 'Help guests.',
      role: 'a hotel host',
    }),
  ).toBe(`You are a hotel host.

## Goal
Help guests.

## Tone
warm

## Language
Answer in German.

## Instructions
- Greet first.
- Be brief.

## Rules
- Answer in one sentence.
- Never promise refunds.

## Examples
User: Hi
You: Hello!`);
});

it('leaves out what is not there', () => {
  expect(assemblePrompt({ role: 'a host' })).toBe('You are a host.');
  expect(assemblePrompt({ instructions: [] })).toBe('');
});
