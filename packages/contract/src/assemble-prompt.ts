import type { PromptBuilder } from './bots.ts';

/** The instructions of a prompt builder, always in the same order and form. */
export function assemblePrompt(builder: PromptBuilder): string {
  return [
    builder.role && `You are ${builder.role}.`,
    section('Goal', builder.goal),
    section('Tone', builder.tone),
    section('Language', builder.language && `Answer in ${builder.language}.`),
    section('Instructions', bullets(builder.instructions)),
    section('Rules', bullets(builder.constraints)),
    section(
      'Examples',
      builder.examples?.map(({ user, assistant }) => `User: ${user}\nYou: ${assistant}`).join('\n\n'),
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function section(title: string, body: string | undefined): string | undefined {
  return body ? `## ${title}\n${body}` : undefined;
}

function bullets(lines: string[] | undefined): string | undefined {
  return lines?.map((line) => `- ${line}`).join('\n');
}
