/** What may change something outside is approved by a person, until the tool's owner says otherwise. */
export function withApproval(
  toolType: string,
  configuration: Record<string, unknown>,
): Record<string, unknown> {
  const { method = 'GET' } = configuration;
  const isWriting = toolType === 'http_request' && Object.keys(configuration).length > 0 && method !== 'GET';
  return isWriting ? { ...configuration, approval: 'always' } : configuration;
}
