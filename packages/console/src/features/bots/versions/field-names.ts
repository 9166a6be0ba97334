const names: Record<string, string> = {
  name: 'Name',
  description: 'Description',
  system_prompt: 'Prompt',
  prompt_builder: 'Prompt builder',
  bot_type: 'Type',
  schedule: 'Schedule',
  agent_goal: 'Goal',
  output_config: 'Output',
  max_iterations: 'Iterations',
  timeout_seconds: 'Time limit',
  tools: 'Tools',
  model: 'Model',
};

/** A field as people call it: `system_prompt` is "Prompt", `enable_agent_tracing` "Enable agent tracing". */
export function fieldName(field: string): string {
  const text = names[field] ?? field.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `Prompt, temperature and tools`. */
export function listFields(fields: readonly string[]): string {
  const [first = 'Nothing', ...others] = inOrder(fields).map(fieldName);
  const rest = others.map((name) => name.charAt(0).toLowerCase() + name.slice(1));
  const last = rest.pop();
  return last === undefined ? first : `${[first, ...rest].join(', ')} and ${last}`;
}

const important = ['system_prompt', 'prompt_builder', 'agent_goal', 'model', 'tools'];

/** The prompt first, then what changes answers most, then the others by name. */
export function inOrder(fields: readonly string[]): string[] {
  const rank = (field: string) => (important.includes(field) ? important.indexOf(field) : important.length);
  return fields.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}
