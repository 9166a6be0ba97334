/** A setting that the service cannot start with: one sentence that names the variable, never its value if secret. */
export class ConfigError extends Error {}
