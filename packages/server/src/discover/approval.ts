/** Tools that may change something outside need approval until their owner decides otherwise; a model does not. */
export function withApproval(toolType: string, drafted: Record<string, unknown>): Record<string, unknown> {
  const { approval_link_edit: _edit, approval_grants: _grants, ...configuration } = drafted;
  if (toolType === 'coding')
    return {
      ...configuration,
      approval_writes: 'always',
      approval_commands: 'always',
      allowed_commands: [],
    };
  const { approval, ...unasked } = configuration;
  if (toolType !== 'http_request') return approval === 'never' ? unasked : configuration;
  const { method = 'GET' } = configuration;
  const isWriting = Object.keys(configuration).length > 0 && method !== 'GET';
  return isWriting ? { ...configuration, approval: 'always' } : configuration;
}
