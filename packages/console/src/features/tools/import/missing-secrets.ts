const secretsFor: Record<string, readonly string[]> = {
  bearer: ['bearer_token'],
  basic: ['basic_password'],
  header: ['header_value'],
  oauth2_client_credentials: ['oauth_client_secret'],
};

/** The secrets that a drafted HTTP tool still needs: documents never contain them. */
export function missingSecrets(configuration: Record<string, unknown>): readonly string[] {
  const { auth_type: type } = configuration;
  return (typeof type === 'string' && secretsFor[type]) || [];
}
