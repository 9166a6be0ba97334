// Starts the reference. Everything that would contact other hosts is off; the page's policy forbids it anyway.
// Loaded before the reference itself, which would try out whether it may compile code: it may not.
globalThis['__zod_globalConfig'] = { jitless: true };

document.addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    theme: 'none',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideDarkModeToggle: true,
    documentDownloadType: 'direct',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    persistAuth: false,
    authentication: { preferredSecurityScheme: 'account_key' },
  });
});
