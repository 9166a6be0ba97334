/** What people call the types of bots. */
export function typeName(type: 'chatbot' | 'agent'): string {
  return type === 'agent' ? 'Autonomous Agent' : 'Agent';
}
