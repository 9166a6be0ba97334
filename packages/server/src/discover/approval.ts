/** Tools that may change something outside need approval until their owner decides otherwise. */
export function withApproval(
  toolType: string,
  configuration: Record<string, unknown>,
): Record<string, unknown> {
  if (toolType === 'coding')
    return {
      ...configuration,
      approval_writes: 'always',
      approval_commands: 'always',
      allowed_commands: [],
    };
  const { method = 'GET' } = configuration;
  const isWriting = toolType === 'http_request' && Object.keys(configuration).length > 0 && method !== 'GET';
  return isWriting ? { ...configuration, approval: 'always' } : configuration;
}
